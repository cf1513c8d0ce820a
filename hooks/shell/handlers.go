package shell

import "strings"

// programGroup is a handler with the names of the programs that it handles.
type programGroup struct {
	handler handler
	names   string
}

// programGroups lists programs with their handlers. The tables wrappers, interpreters, reruns and remoteVerbs list more programs.
func programGroups() []programGroup {
	return []programGroup{
		// The shell's own commands.
		{echo, `echo`},
		{printf, `printf`},
		{eval, `eval`},
		{source, `. source`},
		{declareBuiltin, `declare export local readonly typeset`},
		{setArgs, `set`},
		{unset, `unset`},
		{readVar, `mapfile read readarray`},
		{shift, `shift`},
		{changeDir, `cd`},
		{pushFolder, `pushd`},
		{popFolder, `popd`},
		{workingDir, `pwd`},
		{trap, `trap`},
		{alias, `alias`},
		{hash, `hash`},
		{shellProgram, `ash bash csh dash fish ksh ksh93 mksh posh powershell pwsh rbash sh tcsh yash zsh`},
		{noEffect, `: [ abbr age-keygen ed emacs ex nvim vi vim apropos bg bind caller certbot cfssl code complete date exa exit enable expr eza false fg file getopts groups help id jobs let lsattr lsblk
			easyrsa keytool lsof man md5sum minica mkcert nano mkdir mkfifo pkill ps return sha1sum sha256sum shopt sleep ssh-add step subl ssh-copy-id ssh-keygen ssh-keyscan
			test top true ulimit umask umount uname useradd userdel wait wc whoami`},
		// Text and streams.
		{cat, `cat tac`},
		{tee, `sponge tee`},
		{list, `ls`},
		{listTree, `du tree`},
		{listNamed, `compgen stat`},
		{listPlaces, `df findmnt mount`},
		{filter, `bat batcat cmp col colrm column comm cut diff dos2unix envsubst expand fmt fold head hexdump iconv join jq nl od paste pr pv
			recode shuf strings tail tsort unexpand uniq yq`},
		{pager, `less more most`},
		{sortFiles, `sort`},
		{grep, `ag egrep fgrep grep rg zgrep`},
		{sed, `gsed sed`},
		{awk, `awk gawk mawk nawk`},
		{transform, `bunzip2 gunzip lunzip rev tr uncompress unlz4 unlzma unxz unzstd`},
		{decode, `base32 base64 basenc openssl uudecode uuencode xxd`},
		{sequence, `seq`},
		{endlessOutput, `yes`},
		{partOfPath, `basename dirname`},
		{realPath, `readlink realpath`},
		{programPath, `type whence whereis which`},
		{dd, `dd`},
		// Files, disks and archives.
		{removeFiles, `del rm rmdir shred srm unlink wipe`},
		{removeTrees, `del-cli rimraf trash trash-put`},
		{truncate, `truncate`},
		{moveFiles, `mv`},
		{touchFiles, `touch`},
		{copyFiles, `copy cp ditto install`},
		{linkFiles, `ln`},
		{changeMode, `chattr chgrp chmod chown setcap setfacl`},
		{gio, `gio`},
		{diskProgram, `badblocks blkdiscard btrfs cfdisk cryptsetup debugfs diskutil dmsetup efibootmgr fdisk flash_erase flashcp format gdisk gpt hdparm
			losetup lvreduce lvremove mdadm mkdosfs mke2fs mkfs mkntfs mkswap newfs nvme parted partprobe pvcreate pvremove pvresize resize2fs
			sfdisk sg_format sgdisk tune2fs vgreduce vgremove wipefs zfs zpool`},
		{diskWriter, `dc3dd dcfldd ddrescue extlinux flashrom grub-install nwipe partclone.restore qemu-img scrub`},
		{rsync, `rsync`},
		{tar, `bsdtar tar`},
		{zip, `7z 7za ar jar rar zip`},
		{unzip, `unzip`},
		{unpack, `bzcat funzip lz4cat xzcat zcat zstdcat`},
		{compress, `brotli bzip2 compress gzip lz4 lzma lzop pbzip2 pigz pixz xz zstd`},
		// Programs that run others.
		{xargs, `gxargs xargs`},
		{findCommand, `find gfind`},
		{fdFind, `fd fdfind`},
		{su, `newgrp runuser su`},
		{multiplexer, `screen tmux`},
		{bundle, `bundle`},
		{framework, `bin/rails django-admin gitlab-rails manage.py rails`},
		{makeProgram, `make`},
		{scriptRunner, `bun bunx npm npx pnpm yarn`},
		{crontab, `crontab`},
		{kill, `kill`},
		// The network.
		{curl, `curl curlie`},
		{wget, `GET aria2c axel elinks fetch links lwp-download lwp-request lynx w3m wget`},
		{httpie, `http https xh`},
		{netcat, `cryptcat nc nc.openbsd nc.traditional ncat netcat sbd telnet`},
		{connectionServer, `ipsvd-cdb tcpserver tcpsvd udpsvd`},
		{allocate, `fallocate`},
		{socat, `socat`},
		{ztcp, `ztcp`},
		{downloadTo, `bitsadmin certutil`},
		{telnetd, `in.telnetd telnetd`},
		{ssh, `ssh`},
		{secureCopy, `scp sftp`},
		{transferProgram, `croc dig fetchmail ffsend finger ftp gist grpcurl host ix kcat kermit lftp logger mail mailx mosquitto_pub mpack msmtp mutt
			ncftpput nslookup ntfy pastebinit ping rclone s-nail s3cmd sendemail sendmail smbclient swaks tftp transfer websocat wgetpaste
			whois wormhole wscat xmpp`},
		{remoteShell, `clush fab mosh parallel-ssh pdsh psexec pssh rsh sshpass tsh winrs`},
		{fileServer, `caddy darkhttpd dufs http-server httpd impacket-smbserver mini_httpd miniserve serve thttpd twistd webfsd`},
		{gitProgram, `git hub`},
		{containers, `docker docker-compose nerdctl podman`},
		{ansible, `ansible salt salt-call`},
		{remoteProgram, `artisan java rake`},
		{databaseDump, `mongodump mysqldump pg_dump pg_dumpall`},
		// Secrets.
		{printEnvironment, `printenv`},
		{history, `fc history`},
		{secretPrinter, `gnome-keyring keyctl pass secret-tool`},
		{passwordManager, `bw lpass`},
		{onePassword, `op`},
		{security, `security`},
		{getent, `getent`},
		{gpg, `age gpg gpg2 rage`},
		// Windows.
		{windows, `cmd`},
		// Others.
		{unknownProgram, `crictl`},
	}
}

// buildHandlers maps each program to its handler. A program in several tables gets the handler of its group.
func buildHandlers() {
	handlers = map[string]handler{}
	for _, group := range programGroups() {
		for _, name := range strings.Fields(group.names) {
			handlers[name] = group.handler
		}
	}
	also := func(name string, h handler) {
		if handlers[name] == nil {
			handlers[name] = h
		}
	}
	for name := range wrappers {
		also(name, wrap)
	}
	for name := range interpreters() {
		also(name, interpreter)
	}
	for name := range remoteVerbs() {
		also(name, remoteProgram)
	}
	operationsOf = buildOperations()
}
