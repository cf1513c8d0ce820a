package shell

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// meaning is an effect of an operation, in addition to those that its handler finds.
type meaning uint8

const (
	printsSecret meaning = iota // prints keys, tokens or passwords
	printsToken                 // prints a token that is meant to be given to another program
	weakens                     // disables a protection of the machine, or opens the machine to others
	deletesThere                // deletes or replaces data on another system
	deletesHere                 // deletes data of the machine that cannot be restored
	changesUsers                // changes users or permissions
	overwritesDisk
	startsLater        // runs a command automatically later
	publishes          // makes something public
	printsUnseen       // prints hidden data, such as a text in an image
	printsElsewhere    // prints data from another machine or program
	registersElsewhere // sets a different registry for later installations
)

// operations lists patterns: a program and its words in order; "-x|--y" are options, "--x=y" an option with a value, "a|b" alternatives, and *
// stands for anything.
var operations = sync.OnceValue(func() map[meaning][]string {
	return map[meaning][]string{
		printsSecret: {
			"get-storedcredential", "export-pfxcertificate",
			"aws sts get-session-token|get-federation-token", "aws kms decrypt", "aws iam create-access-key", "az storage account keys list", "az ad sp create-for-rbac|credential", "az acr credential show", "gcloud iam service-accounts keys create",
			"vault print token", "vault token lookup|create", "vault kv get", "vault login -token-only", "gopass show", "chamber read|export", "doppler secrets", "infisical secrets|export", "sops decrypt", "sops -d|--decrypt", "ansible-vault view|decrypt", "bw list items", "akeyless get-secret-value",
			"git credential|credential-store|credential-cache fill|get", "gh auth status --show-token|-t", "glab auth status -t|--show-token", "npm config get *authToken*", "terraform|tofu state pull", "pulumi config|stack --show-secrets", "heroku config|config:get|auth:token", "flyctl|fly auth token", "netlify env:list",
			"rails|bin/rails credentials:show|credentials:edit", "rclone config show|dump", "kwallet-query -r", "cmdkey /list", "vaultcmd *", "reg save *", "reg query * /f password", "mimikatz", "lazagne", "laZagne", "procdump *lsass*", "rundll32 *comsvcs* MiniDump", "gcore", "dscl . -read *", "secretsdump.py", "hashdump", "unshadow", "credstash get|getall", "conjur variable",
			"kubectl create token", "keyring get", "pass show", "security find-generic-password|find-internet-password -w|-g",
		},
		printsToken: {
			"xclip -o|-out", "xsel -o|-b|--output", "pbpaste", "wl-paste", "sqlite3 * .dump|*.dump*", "tmux show-buffer|capture-pane",
			"gcloud auth print-*-token", "gcloud auth application-default print-access-token", "gh auth token", "glab auth token", "az account get-access-token", "aws ecr get-login-password", "aws eks get-token", "aws sts assume-role", "aws configure get *", "oc whoami -t|--show-token", "ps *e*ww*", "ps aux*e*", "ps *e -o *", "doctl auth token", "op signin --raw",
			"docker|podman inspect", "docker|podman|docker-compose compose|config config", "docker-compose config", "systemctl show-environment", "launchctl export|getenv", "npm|pnpm|yarn config list|ls", "nmcli -s|--show-secrets", "fly|flyctl secrets list", "chezmoi data|dump", "terraform|tofu output -raw|-json", "git diff|show|log *.env*", "git config -l|--list", "redis-cli --rdb", "podman|docker secret inspect",
		},
		weakens: {
			"enable-psremoting", "set-mppreference|add-mppreference -disable*|-exclusion*|-enable*", "set-executionpolicy bypass|Bypass|unrestricted|Unrestricted", "set-netfirewallprofile -enabled=*alse", "disable-windowsoptionalfeature *efender*", "uninstall-windowsfeature *efender*", "disable-localuser *", "add-localgroupmember *dmin*", "systemctl stop|disable windefend|WinDefend|sense|Sense|eventlog|EventLog|mpssvc|MpsSvc",
			"nginx -s stop|quit", "nginx -s=stop", "haproxy -sf|-st", "apachectl|httpd|apache2ctl -k stop", "apachectl|apache2ctl stop|graceful-stop", "caddy|traefik stop",
			"systemctl stop|disable|mask|kill nginx*|haproxy*|apache2*|httpd*|traefik*|envoy*|caddy*|docker*|containerd*|kubelet*|k3s*|etcd*|postgres*|mysql*|mariadb*|mongod*|redis*|rabbitmq*|kafka*|elasticsearch*|vault*|consul*",
			"service nginx|haproxy|apache2|httpd|traefik|docker|kubelet|postgresql|mysql|mariadb|mongod|redis|redis-server stop", "killall5 *", "pkill|killall|skill -u root", "pkill|killall -9|-KILL|-SIGKILL nginx|haproxy|dockerd|containerd|kubelet|postgres|mysqld|systemd|init|java",
			"iptables|ip6tables -A|-I|-R|-D|--append|--insert|--delete", "ufw allow|delete|default", "firewall-cmd --add-port|--add-service|--add-rich-rule|--remove-rich-rule|--remove-service|--add-source", "fail2ban-client stop|unban|unload", "mount -o=*remount*rw*", "mount -o=*bind* /etc/*|/bin/*|/usr/*|/sbin/*", "mount --bind|-B|--rbind /etc/*|/bin/*|/usr/*|/sbin/*", "fc -p",
			"pre-commit uninstall", "lefthook uninstall", "npx husky|lefthook|simple-git-hooks uninstall", "husky uninstall",
			"nomograph policy mode * shadow|off", "nomograph policy|policies apply --mode=shadow|off", "nomograph hook install|uninstall --fail-open", "codex -s|--sandbox=danger-full-access", "codex -s=danger-full-access", "codex --ask-for-approval=never", "claude --permission-mode=bypassPermissions", "claude --allow-dangerously-skip-permissions", "copilot --allow-all-tools|--allow-all", "gemini --approval-mode=yolo", "amp --dangerously-allow-all", "q|kiro-cli chat --trust-all-tools", "droid exec --skip-permissions-unsafe", "cline --yolo", "qwen --yolo|-y", "opencode --dangerously-skip-permissions",
			"aws configservice|guardduty|securityhub|inspector2|macie2|accessanalyzer stop-*|disable-*|delete-*", "aws cloudtrail put-event-selectors", "aws s3api put-bucket-versioning --versioning-configuration=*Suspended*", "aws ec2 authorize-security-group-ingress *0.0.0.0/0*", "aws ec2 modify-instance-attribute --no-disable-api-termination", "aws rds modify-db-instance --no-deletion-protection|--publicly-accessible", "gcloud compute firewall-rules create|update --source-ranges=*0.0.0.0/0*", "gcloud * add-iam-policy-binding --member=all*", "az network nsg rule create|update --source-address-prefixes=*", "az monitor diagnostic-settings delete", "az lock delete", "gcloud logging sinks delete",
			"kubectl run --privileged|--overrides", "kubectl create clusterrolebinding --clusterrole=*admin*", "kubectl auth reconcile", "kubectl debug node/*", "vault audit disable",
			"gh ssh-key|gpg-key|deploy-key add", "gh repo deploy-key add", "gh auth refresh -s|--scopes", "gh api -X|--method */collaborators/*|*/keys*|*/hooks*|*/rulesets*", "gh api private=false|visibility=public", "gh ruleset delete", "gh extension install *", "glab ssh-key|deploy-key add", "gh run delete *",
			"iptables|ip6tables -F|--flush|-X|-P|--policy", "iptables-restore", "umount -a|--all", "nft flush|delete", "ufw disable|reset", "firewall-cmd --panic-off|--set-default-zone=trusted|--set-default-zone", "pfctl -d|-F", "ipfw flush", "netsh advfirewall|firewall", "setenforce 0|Permissive", "auditctl -D", "auditctl -e 0", "auditctl -e=0", "augenrules --load", "aa-teardown", "aa-disable|aa-complain *", "apparmor_parser -R", "csrutil disable", "spctl --master-disable|--global-disable|--add", "nvram *boot-args*", "tccutil reset", "xattr -d|-c com.apple.quarantine", "xattr *r*d com.apple.quarantine", "fdesetup disable",
			"systemctl stop|disable|mask|kill firewalld*|ufw*|auditd*|apparmor*|fail2ban*|falco*|falcon*|clamav*|crowdsec*|ossec*|wazuh*|osquery*|rsyslog*|syslog*|systemd-journald*|sysmon*|nftables*|iptables*|cron|crond|ssh|sshd|dbus*|networking|NetworkManager|nomograph*|watchdog*|sssd*|suricata*|snort*",
			"service firewalld|ufw|auditd|apparmor|fail2ban|rsyslog|iptables|clamav-daemon|falco|ssh|sshd|nomograph stop", "launchctl unload|remove|bootout|disable com.*|*LaunchDaemons*|*LaunchAgents*", "sc stop|delete|config windefend|*sense*|*eventlog*|mpssvc", "net stop windefend|*eventlog*|mpssvc",
			"history -c|-cw|-d", "journalctl --vacuum-size|--vacuum-time|--vacuum-files", "dmesg -C|-c|--clear", "wevtutil cl|clear-log", "auditpol /clear", "auditpol /remove", "bcdedit *", "sysctl *randomize_va_space=0*|*kernel.dmesg_restrict=0*|*ptrace_scope=0*|*kptr_restrict=0*|*sysrq=1*|*unprivileged_userns_clone=1*|*suid_dumpable=*|*core_pattern=*",
			"ip route|r|addr|address flush *", "nsenter --target=1", "nsenter -t=1", "modprobe -r", "rmmod", "insmod", "kldload", "kextload|kextunload", "mokutil --disable-validation", "setcap *cap_*", "update-ca-certificates --fresh", "security add-trusted-cert", "security authorizationdb", "certutil -addstore", "trust anchor",
			"git config *sslverify|*sslVerify false|0", "npm|yarn|pnpm config set strict-ssl false", "npm|yarn|pnpm config set audit false", "pip|pip3 config set *trusted-host", "gpg --import-ownertrust", "ssh-keygen -R *", "kubectl delete validatingwebhookconfiguration*|mutatingwebhookconfiguration*|networkpolicy|networkpolicies|psp", "kubectl create clusterrolebinding --clusterrole=cluster-admin", "kubectl label ns|namespace *pod-security*", "aws cloudtrail stop-logging|update-trail", "aws ec2 authorize-security-group-ingress --cidr=0.0.0.0/0", "aws iam attach-*-policy *", "aws iam put-*-policy", "aws iam update-assume-role-policy|create-login-profile|add-user-to-group", "aws s3api put-public-access-block|put-bucket-policy|put-bucket-acl|delete-public-access-block", "gcloud projects|organizations add-iam-policy-binding --role=roles/owner", "gcloud * add-iam-policy-binding --member=allUsers", "az role assignment create --role=Owner",
			"gh api -X|--method */protection*", "gh workflow disable", "gh repo edit --visibility", "gh pr merge --admin", "glab mr merge --skip-checks",
			"nomograph hook remove", "nomograph policy deactivate|remove|delete|disable", "nomograph-hook remove", "claude --dangerously-skip-permissions", "claude config set *ermission*", "codex --dangerously-bypass-approvals-and-sandbox", "codex --yolo", "claude|codex|gemini|copilot|amp|droid mcp add|add-json|add-from-claude-desktop|remove", "npm|pnpm|yarn config set script-shell *", "npm|pnpm set script-shell *", "npm|pnpm --script-shell=/tmp/*|/var/tmp/*|/dev/shm/*", "gemini --yolo|-y", "cursor-agent -f|--force",
			"ngrok tcp|ssh", "ngrok http file:*", "tmate", "ttyd", "gotty", "shellinabox", "shellinaboxd", "chisel client|server", "frpc", "frps", "bore local", "cloudflared tunnel --url=ssh:*", "sshd -p", "sshd -f|-o", "dropbear", "xterm -display", "msfvenom", "msfconsole", "tailscale funnel", "ligolo-agent", "revsocks", "gs-netcat", "nps", "upterm host", "sshuttle -r",
			"vault operator seal", "visudo -f",
			"mshta", "regsvr32 /i:http*", "rundll32 javascript:*", "wmic process call create", "wmic shadowcopy delete", "msiexec /i http*", "vssadmin delete", "wbadmin delete", "diskshadow", "cipher /w:*", "takeown /f", "icacls * /grant *", "reg add|delete *", "fsutil usn deletejournal", "net user|localgroup *", "net1 user|localgroup *", "attrib -h -s",
			"killall5", "pkill|killall *auditd*|*falco*|*osquery*|*supervis*|*systemd*|*nomograph*|*fail2ban*|*sshd*|*syslog*|*launchd*|*watchdog*|*crowdstrike*|*falcon*|*clamd*|init", "kill -9|-KILL|-SIGKILL|-s 1|-1", "taskkill *msmpeng*|*sense*|*nomograph*|*sysmon*", "supervisorctl stop|shutdown|remove *", "shutdown", "poweroff", "halt", "reboot", "telinit 0|6", "init 0|6", "systemctl poweroff|reboot|halt|emergency|rescue|isolate|kexec", "kexec",
		},
		deletesThere: {
			"splunk remove|clean|delete *", "splunk offline", "incus|limactl|colima|qm|pct delete|destroy|purge", "mc admin user|policy|bucket remove|rm|delete", "mc ilm|replicate|version rm|remove|suspend", "stripe * cancel|void_invoice|roll|reject|delete|archive", "stripe * *delete*", "terraform|tofu apply -replace|--replace|-destroy", "kubectl patch *finalizers*", "clickhouse|clickhouse-local client *DROP*|*TRUNCATE*|*drop*", "neo4j-admin database drop|delete", "neo4j-admin load|restore --overwrite-destination", "goose reset|down-to", "migrate drop|force", "dbmate drop", "atlas schema clean", "npx drizzle-kit drop", "redis-cli *flushall*|*FLUSHALL*|*flushdb*|*FLUSHDB*",
			"curl -X PURGE", "heroku pg:* *drop*|*DROP*|*truncate*|*TRUNCATE*", "deck reset|gateway", "kustomize build|delete *delete*", "postmark|mailgun|sendgrid * delete|remove", "promtool tsdb delete*", "newrelic * delete", "pd|pdctl * delete|remove", "traefik * delete", "elb * delete*", "flipt delete|import", "unleash * delete|archive", "split|splitctl * delete|kill", "braintree|square * delete|cancel|void",
			"gh api force=true", "gh pr|issue|gist|label|codespace|project|ruleset|cache|release|repo|secret|variable delete|transfer|lock", "jj git push --force|-f|--allow-backwards", "hg push -f|--force", "sl push -f|--force", "dulwich push --force|-f", "svn propset|revert -R --revprop",
			"docker buildx|builder prune -a|--all", "podman machine reset|rm", "launchctl kickstart", "aws s3api put-object-retention --bypass-governance-retention", "aws * cancel-*|reset-*|revoke-*", "gcloud * remove-*|reset-*", "az * revoke|reset|failover",
			"kubectl scale --replicas=0", "kubectl replace --force", "kubectl rollout undo", "kubectl cordon|taint *", "helm rollback", "k3s-uninstall.sh", "rke2-uninstall.sh", "kubeadm reset", "helmfile destroy|delete", "terraform|tofu taint|force-unlock", "terraform|tofu apply *replace=*", "terragrunt destroy-all",
			"aws ec2 stop-instances", "aws rds stop-db-instance|reboot-db-instance", "aws iam detach-*-policy", "aws ecs update-service --desired-count=0", "aws autoscaling update-auto-scaling-group --desired-capacity=0", "aws autoscaling update-auto-scaling-group --min-size=0", "aws route53 change-resource-record-sets *DELETE*", "aws organizations leave-organization|remove-account*", "aws s3api put-bucket-lifecycle*", "az vm deallocate|stop", "az * purge", "gcloud compute instances stop", "gcloud * remove-iam-policy-binding", "ibmcloud * *-delete*", "ibmcloud *delete*",
			"heroku ps:scale *=0", "heroku maintenance:on", "netlify api delete*", "firebase *:disable|*:delete|*:remove|*:destroy", "gh repo rename|archive", "gh run cancel", "gh secret|variable remove", "gh repo sync --force", "nomad system gc", "borg compact", "twilio *:remove|*:delete",
			"pgbackrest stanza-delete|expire", "barman delete", "wal-g|wal-e delete", "duplicacy prune", "kopia snapshot|policy|repository delete", "bconsole *", "virsh snapshot-delete|vol-wipe", "docker volume|stack|service|swarm|manifest|secret|config|context rm|remove|leave|prune", "podman volume|secret rm|prune", "nerdctl volume rm|prune", "docker|podman|nerdctl system prune|reset --volumes|-f|--force|-a", "docker|podman compose down -v|--volumes", "docker-compose|podman-compose down -v|--volumes", "dokku apps:destroy|*:destroy", "cf delete|delete-*", "buildkite-agent * delete", "argo delete|terminate", "ldcli * archive|delete", "amtool silence expire", "opensearch-cli * delete", "nsupdate delete", "haproxy disable",
			"consul leave|force-leave", "op vault|item|user|group delete", "bw delete", "lpass rm|rmdir", "databricks * delete|permanent-delete|rm", "databricks fs|workspace rm|delete", "hdfs|hadoop dfs|fs -rm|-rmr|-rm*", "cbt deletetable|deletefamily|deleteallrows|deleteinstance", "npm deprecate|unpublish", "npm owner|access rm|revoke", "svn delete|rm *://*", "hg strip", "p4 obliterate", "ldapdelete", "ldapmodify -D", "dsmod|dsrm *", "ipa *-del", "mc mirror --remove", "s3cmd sync --delete-removed", "azcopy sync --delete-destination=true", "swift delete", "ipmitool chassis|power off|cycle|reset", "racadm serveraction powerdown|hardreset|powercycle", "memcflush", "redis-cli SHUTDOWN|shutdown|CONFIG|config SET|set|NOSAVE|nosave", "redis-cli SHUTDOWN|shutdown", "manage.py flush|reset_db|sqlflush", "bq query *drop*|*DROP*|*delete*|*DELETE*|*truncate*", "curator_cli delete_indices|delete_*", "meilisearch delete", "vgremove", "chartmuseum delete", "twine delete", "gem yank", "cargo yank", "az network *delete*",
			"git send-pack +*", "bfg --delete-files|--delete-folders|--strip-blobs-bigger-than|--replace-text", "dbt run-operation *drop*|*delete*", "pt-archiver --purge", "mysqlpump --drop", "liquibase drop-all|dropAll|rollback", "flyway clean", "alembic downgrade base", "prisma migrate reset", "npx prisma migrate reset", "npx prisma db push --force-reset", "prisma db push --force-reset", "sequelize db:drop", "npx sequelize* db:drop", "knex migrate:rollback --all", "typeorm schema:drop", "artisan migrate:fresh|db:wipe|migrate:reset",
			"zfs destroy", "temporal * delete|terminate", "temporal workflow terminate|delete", "airflow db reset", "airflow dags delete", "kafka-storage* format", "zookeeper* deleteall", "zkCli.sh deleteall|rmr", "solr delete", "ceph osd|fs|pool rm|purge|destroy|delete", "rbd rm|remove|snap", "rados rmpool|purge", "gluster volume delete|stop", "minikube delete --all|--purge",
		},
		deletesHere: {
			"tmutil delete|deletelocalsnapshots|disable|thinlocalsnapshots", "timeshift --delete|--delete-all", "snapper delete", "lvremove *", "vgremove *", "borg delete", "wbadmin delete", "vssadmin delete", "nvram -c", "flashrom -w|--write|-E", "fwupdmgr downgrade", "apt|apt-get|aptitude remove|purge|autoremove sudo|libc6|libc*|systemd|bash|coreutils|dpkg|apt|openssh-server|linux-image*|login|init|base-files|util-linux|python3|python3-minimal", "apt|apt-get * --allow-remove-essential", "dpkg -r|--remove|-P|--purge --force-all|--force-depends|--force-remove-essential", "dpkg -P|-r libc6|bash|systemd|sudo|dpkg|coreutils", "yum|dnf|microdnf|zypper remove|erase|rm glibc*|systemd*|bash|sudo|kernel*|coreutils|openssh*|yum|dnf|rpm", "rpm -e|--erase --nodeps", "rpm -e|--erase glibc|bash|systemd|rpm|coreutils", "pacman -Rdd", "pacman -R|-Rns|-Rs glibc|bash|systemd|pacman|linux", "apk del musl|busybox|apk-tools|alpine-baselayout|libc*",
		},
		changesUsers: {
			"useradd|usermod -G=*sudo*|*wheel*|*root*|*docker*|*admin*", "useradd|usermod --groups=*sudo*|*wheel*|*root*|*docker*", "useradd|usermod -g=root|0|sudo|wheel", "usermod -s *", "chsh -s *nologin*|*false|/tmp/*|/var/tmp/*|/dev/shm/*", "net user|localgroup *",
			"userdel *", "deluser *", "groupdel *", "delgroup *", "usermod -aG|-G sudo|wheel|docker|root|admin*", "usermod *G* sudo|wheel|docker|root|admin|adm", "usermod -L|-U|-u|-o|-p *", "useradd -o", "useradd -u=0", "adduser * sudo|wheel|docker|admin|root", "gpasswd -a|-d * sudo|wheel|docker|root", "gpasswd *a sudo|wheel|docker", "passwd *", "passwd -d|-l|-u|-S root", "chpasswd", "vipw", "vigr", "visudo", "dseditgroup -o|-a *", "dscl . -create|-append|-delete|-passwd *", "sysadminctl -addUser|-deleteUser|-resetPasswordFor", "chage -E|-M *", "faillock --reset", "pwconv|pwunconv", "newusers", "samba-tool user delete|create|setpassword",
		},
		overwritesDisk: {
			"diskpart", "grub-install */dev/*", "flash_eraseall */dev/*",
		},
		startsLater: {
			"systemctl enable|link|edit|revert|add-wants *", "systemd-run --on-calendar|--on-boot|--on-active|--on-startup|--on-unit-active|--timer-property", "ssh-import-id *", "at|batch *", "brew services start", "pm2 startup", "defaults write *loginwindow* LoginHook|LogoutHook", "crontab *", "launchctl kickstart|start *",
			"systemctl enable|link|edit --now", "launchctl load|bootstrap|submit|enable", "schtasks /create", "update-rc.d *", "chkconfig --add|--level|*", "sc create", "rc-update add", "wmic startup", "at -f", "loginctl enable-linger",
		},
		printsUnseen: {
			"age|rage -d|--decrypt", "steghide|outguess|stegseek|zsteg extract|-sf|-E|-r", "exiftool -b", "strings *", "openssl rsautl|smime|cms|pkeyutl -decrypt", "ansible-vault view|decrypt", "7z|7za|7zr|7zz x|e -so", "ar p", "cpio --to-stdout", "unrar|rar p", "ascii85|base58|base16|basez|base91|base85|z85 -d|--decode", "cabextract -p", "ccat|ccdecrypt *", "ccrypt -d", "mcrypt|scrypt -d|dec", "zbarimg *", "tesseract *", "head|tail -c", "dd skip=*", "jq|yq *@base64d*", "unar -o", "uudeview *", "xorsearch *", "pdftotext *",
		},
		printsElsewhere: {
			"redis-cli *get*|*GET*|lrange|LRANGE|lpop|rpop|LPOP|RPOP|smembers|xread", "xclip -o|-out", "xsel -o|-b|--output", "pbpaste", "wl-paste", "Get-Clipboard", "docker|podman logs|inspect", "kubectl get|logs", "aws ssm get-parameter*", "aws sqs receive-message", "mosquitto_sub", "ipfs cat|get", "etcdctl get", "consul kv get", "rclone cat", "gh gist view", "finger|whois|drill|delv|kdig|snmpget|snmpwalk|ldapsearch|websocat|wscat *", "resolvectl query", "tmux show-buffer|capture-pane", "screen -X", "at -c",
		},
		registersElsewhere: {
			"npm|pnpm config set *registry*=http*", "npm|pnpm config set *registry* http*", "npm|pnpm set *registry* http*", "npm|pnpm set *registry*=http*", "yarn config set *egistry* http*", "pip|pip3 config set *index-url http*", "gem sources --add|-a", "poetry source add * http*", "nuget|dotnet * add source * http*", "go env -w *GOPROXY=http*|*GOINSECURE=*|*GONOSUMDB=**", "apt-add-repository *", "conda config --add channels http*", "bundle config mirror* http*", "bundle config set mirror* http*", "helm repo add * http://*", "cargo config *registry*", "brew tap * http://*",
		},
		publishes: {
			"npm|pnpm|bun publish", "yarn publish", "yarn npm publish", "npm dist-tag add|rm", "cargo publish", "gem push", "twine upload", "poetry|uv|flit|hatch|pdm publish", "mvn deploy|release:perform", "gradle|gradlew publish|publishToMavenCentral", "dotnet nuget push", "nuget push", "vsce|ovsx publish", "gh release create|upload", "gh gist create --public|-p", "pod trunk push", "mix hex.publish", "cabal upload", "stack upload", "luarocks upload", "dart|flutter pub publish", "pub publish", "conda upload", "anaconda upload", "jf rt upload", "goreleaser release", "semantic-release", "lerna publish", "changeset publish", "npx semantic-release", "npx vsce publish", "snapcraft upload|push", "fastlane release|deliver|supply", "eas submit", "expo publish", "chart-releaser upload", "terraform-registry publish", "clojars deploy", "sbt publish", "melos publish", "jsr publish", "npx jsr publish", "deno publish",
		},
	}
})

type operation struct {
	meaning meaning
	tokens  [][]string
}

// buildOperations returns the operations of each program.
func buildOperations() map[string][]operation {
	byProgram := map[string][]operation{}
	for means, forms := range operations() {
		for _, form := range forms {
			fields := strings.Fields(form)
			o := operation{meaning: means}
			for _, field := range fields[1:] {
				o.tokens = append(o.tokens, strings.Split(field, "|"))
			}
			for _, program := range strings.Split(fields[0], "|") {
				byProgram[program] = append(byProgram[program], o)
			}
		}
	}
	return byProgram
}

// matches reports whether a call is this operation.
func (o operation) matches(c *call, words []value) bool {
	at := 0
	for i, token := range o.tokens {
		found := false
		if strings.HasPrefix(token[0], "-") || strings.HasPrefix(token[0], "/") {
			found = slices.ContainsFunc(token, c.optionLike)
		} else {
			for k := at; k < len(words) && (i > 0 || k < 3) && !found; k++ {
				found = slices.ContainsFunc(token, func(pattern string) bool { return matchesWildcard(pattern, words[k].text) })
				at = k + 1
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// optionLike reports whether an option is given, "--name=value" with this value. Options of Windows begin with a slash.
func (c *call) optionLike(option string) bool {
	name, wanted, with := strings.Cut(option, "=")
	if !with {
		return slices.ContainsFunc(c.args, func(a value) bool {
			key, _, _ := strings.Cut(a.text, "=")
			return matchesWildcard(option, key) || option[0] == '/' && strings.EqualFold(option, a.text) || len(option) == 2 && option[1] > '9' && len(a.text) > 2 && len(a.text) < 6 && a.text[0] == '-' && a.text[1] != '-' && strings.Contains(a.text, option[1:])
		})
	}
	given, ok := c.option(name)
	return ok && matchesWildcard(wanted, given.text)
}

// matchesWildcard matches a pattern in which * stands for anything, slashes too.
func matchesWildcard(pattern, text string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == text
	}
	if pattern == "*" {
		return text != ""
	}
	if len(text) > 2000 || strings.ContainsAny(pattern, `[?\`) {
		return false
	}
	ok, _ := path.Match(strings.ReplaceAll(pattern, "/", "\x01"), strings.ReplaceAll(text, "/", "\x01"))
	return ok
}

// isDryRun reports whether a call only prints help or what it would do. Of several such options, the last counts.
func (c *call) isDryRun() (dryRun bool) {
	for _, a := range c.args {
		key, value, ok := strings.Cut(a.text, "=")
		if key = strings.ReplaceAll(strings.ToLower(key), "_", "-"); key == "--" {
			return dryRun
		}
		if key == "--no-dry-run" {
			dryRun = false
		} else if key == "--help" || key == "--dryrun" || len(key) >= len("--dry") && strings.HasPrefix("--dry-run", key) {
			dryRun = !a.incomplete && !(ok && slices.Contains([]string{"", "false", "f", "none", "no", "off", "0"}, strings.ToLower(value)))
		}
	}
	return dryRun
}

// registersHere reports whether the registry in the words is a server on this machine.
func registersHere(words []value) (here bool) {
	for _, word := range words {
		if at := strings.Index(word.text, "http"); at >= 0 && strings.Contains(word.text, "://") {
			if !onThisMachine(word.text[at:]) && !knownRegistry(word.text[at:]) {
				return false
			}
			here = true
		}
	}
	return here
}

// noteOperations notes the meaning of a call's operation. It returns the labels of the call's output.
func (s *state) noteOperations(c *call) (labels label) {
	forms := operationsOf[c.name]
	if len(forms) == 0 || c.isDryRun() {
		return 0
	}
	words := c.words("")
	var text string
	for _, o := range forms {
		if !o.matches(c, words) {
			continue
		}
		if text == "" {
			text = strings.TrimSpace(c.name + " " + joinArgs(words[:min(3, len(words))]).text)
		}
		switch o.meaning {
		case printsSecret:
			add(&s.effects.ReadsOf, Credentials)
			labels |= secret
		case printsToken:
			if plain := plainOutputs[c.name]; plain == nil || !plain(c, words) {
				labels |= token
			}
		case weakens:
			add(&s.effects.Protections, text)
		case deletesThere:
			if !s.staysHere(c) {
				add(&s.effects.Remote, text)
			}
		case deletesHere:
			add(&s.effects.Deletes, text)
			add(&s.effects.DeletesOf, System)
		case changesUsers:
			add(&s.effects.Writes, text)
			add(&s.effects.WritesOf, System)
		case overwritesDisk:
			add(&s.effects.WritesOf, Device)
		case startsLater:
			add(&s.effects.WritesOf, Startup)
		case printsUnseen:
			labels |= unpacked
		case printsElsewhere:
			labels |= network
		case registersElsewhere:
			if !registersHere(words) {
				add(&s.effects.Installs, "other registry")
			}
		case publishes:
			add(&s.effects.Publishes, text)
		}
	}
	return labels
}
