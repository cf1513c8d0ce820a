package main_test

import "testing"

func TestThresholdSet_UnusualChange_NeedsYes(t *testing.T) {
	g := withPacks(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'limit', value: 10}), (:SYS_Threshold {name: 'odd', value: 500, unit: 'percent'})", nil)
	session(t, g.Environ(t), `
$ threshold set limit 200 --reason r # 2
err would go from 10 to 200, which is more than ten times as much
err --yes
$ threshold get limit --value
= 10
$ threshold set limit 200 --reason r --yes
out 200
$ threshold get limit --value
= 200
$ threshold set odd -5 --reason r --yes # 2
err value -5 is below 0, the min of the unit percent
$ threshold get odd --value
= 500
err note: out of bounds: value 500 is above 100, the max of the unit percent`)
}
