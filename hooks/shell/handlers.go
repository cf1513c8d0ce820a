package shell

import (
	"strings"
)

// programGroups maps the names of programs to their handler. programs.tsv lists more programs.
func programGroups() map[string]handler {
	return map[string]handler{
		// Commands of the shell itself, and programs without effects.
		`echo`:                   echo,
		`printf`:                 printf,
		`eval`:                   eval,
		`. source`:               source,
		`set`:                    setArgs,
		`unset`:                  unset,
		`mapfile read readarray`: readVar,
		`shift`:                  shift,
		`cd`:                     changeDir,
		`pushd`:                  pushFolder,
		`popd`:                   popFolder,
		`pwd`:                    workingDir,
		`trap`:                   trap,
		`alias`:                  alias,
		`ash bash csh dash fish ksh ksh93 mksh posh powershell pwsh rbash sh tcsh yash zsh`: shellProgram,
		`: [ abbr declare export local readonly typeset age-keygen ed emacs ex nvim vi vim apropos bg bind caller certbot cfssl code complete date exa exit enable expr eza false fg file getopts groups hash help id jobs let lsattr lsblk
			easyrsa keytool losetup lsof man md5sum minica mkcert nano mkdir mkfifo partprobe pkill ps return sha1sum sha256sum shopt sleep ssh-add step subl ssh-copy-id ssh-keygen ssh-keyscan
			test top true tune2fs ulimit umask umount uname useradd userdel wait wc whoami`: noEffect,

		// Programs that read and print text.
		`cat tac`:          cat,
		`sponge tee`:       tee,
		`ls`:               list,
		`du tree`:          listTree,
		`compgen stat`:     listNamed,
		`df findmnt mount`: listPlaces,
		`bat batcat cmp col colrm column comm cut diff dos2unix envsubst expand fmt fold head hexdump iconv join less more most nl od paste pr pv
			recode shuf strings tail tsort unexpand uniq yq`: filter,
		`jq`:                           jq,
		`sort`:                         sortFiles,
		`ag egrep fgrep grep rg zgrep`: grep,
		`gsed sed`:                     sed,
		`awk gawk mawk nawk`:           awk,
		`bunzip2 gunzip lunzip rev tr uncompress unlz4 unlzma unxz unzstd`: transform,
		`base32 base64 basenc uudecode uuencode xxd`:                       decode,
		`openssl`:                   openssl,
		`seq`:                       sequence,
		`yes`:                       endlessOutput,
		`basename dirname`:          partOfPath,
		`readlink realpath`:         realPath,
		`type whence whereis which`: programPath,
		`dd`:                        dd,

		// Programs that change files and disks, and pack archives.
		`del rm rmdir shred srm unlink wipe`: removeFiles,
		`del-cli rimraf trash trash-put`:     removeTrees,
		`truncate`:                           truncate,
		`mv`:                                 moveFiles,
		`touch`:                              touchFiles,
		`copy cp ditto install`:              copyFiles,
		`ln`:                                 linkFiles,
		`chattr chgrp chmod chown setcap setfacl`: changeMode,
		`gio`: gio,
		`badblocks blkdiscard btrfs cfdisk cryptsetup debugfs diskutil dmsetup efibootmgr fdisk flash_erase flashcp format gdisk gpt hdparm
			lvreduce lvremove mdadm mkdosfs mke2fs mkfs mkntfs mkswap newfs nvme parted pvcreate pvremove pvresize resize2fs
			sfdisk sg_format sgdisk vgreduce vgremove wipefs zfs zpool`: diskProgram,
		`dc3dd dcfldd ddrescue extlinux flashrom grub-install nwipe partclone.restore qemu-img scrub`: diskWriter,
		`rsync`:                                  rsync,
		`bsdtar tar`:                             tar,
		`zip`:                                    zip,
		`7z 7za ar jar rar`:                      sevenZip,
		`unzip`:                                  unzip,
		`bzcat funzip lz4cat xzcat zcat zstdcat`: unpack,
		`brotli bzip2 compress gzip lz4 lzma lzop pbzip2 pigz pixz xz zstd`: compress,

		// Programs that run other programs or code.
		`gxargs xargs`:                           xargs,
		`find gfind`:                             findCommand,
		`fd fdfind`:                              fdFind,
		`newgrp runuser su`:                      su,
		`screen tmux`:                            multiplexer,
		`bundle`:                                 bundle,
		`bin/rails django-admin manage.py rails`: framework,
		`make`:                                   makeProgram,
		`bun bunx npm npx pnpm yarn`:             scriptRunner,
		`crontab`:                                crontab,
		`kill`:                                   kill,

		// Programs that send and receive data, or run commands on other machines.
		`curl curlie`: curl,
		`GET aria2c axel elinks fetch links lwp-download lwp-request lynx w3m wget`: wget,
		`http https xh`: httpie,
		`cryptcat nc nc.openbsd nc.traditional ncat netcat sbd telnet`: netcat,
		`fallocate`:          allocate,
		`socat`:              socat,
		`bitsadmin certutil`: downloadTo,
		`ssh`:                ssh,
		`scp sftp`:           secureCopy,
		`croc dig fetchmail ffsend finger ftp gist grpcurl host ix kcat kermit lftp logger mail mailx mosquitto_pub mpack msmtp mutt
			ncftpput nslookup ntfy pastebinit ping rclone s-nail s3cmd sendemail sendmail smbclient swaks tftp transfer websocat wgetpaste
			whois wormhole wscat xmpp`: transferProgram,
		`clush fab mosh parallel-ssh pdsh psexec pssh rsh sshpass tsh winrs`:                                        remoteShell,
		`caddy darkhttpd dufs http-server httpd impacket-smbserver mini_httpd miniserve serve thttpd twistd webfsd`: fileServer,
		`git hub`:                                gitProgram,
		`docker docker-compose nerdctl podman`:   containers,
		`ansible salt salt-call`:                 ansible,
		`java`:                                   javaProgram,
		`artisan gitlab-rails rake`:              frameworkTask,
		`pipx poetry uv`:                         projectRunner,
		`mongodump mysqldump pg_dump pg_dumpall`: databaseDump,

		// Programs that print secrets.
		`printenv`:                              printEnvironment,
		`fc history`:                            history,
		`gnome-keyring keyctl pass secret-tool`: secretPrinter,
		`bw lpass`:                              passwordManager,
		`op`:                                    onePassword,
		`security`:                              security,
		`getent`:                                getent,
		`age gpg gpg2 rage`:                     gpg,
		// Programs of Windows, and others.
		`cmd`:    windows,
		`crictl`: unknownProgram,
	}
}

// buildHandlers maps each program to its handler. A program in several tables gets the handler of its group.
func buildHandlers() {
	handlers = map[string]handler{}
	for names, h := range programGroups() {
		for _, name := range strings.Fields(names) {
			handlers[name] = h
		}
	}
	also := func(name string, h handler) {
		if handlers[name] == nil {
			handlers[name] = h
		}
	}
	for name := range wrappers() {
		also(name, wrap)
	}
	for name := range interpreters() {
		also(name, interpreter)
	}
	for name := range remoteVerbs() {
		also(name, remoteProgram)
	}
	operationsOf = buildOperations()
	for _, programs := range []map[string][]string{programsWith("installs"), programsWith("packages"),
		programsWith("shows"), programsWith("harmless")} {
		for name := range programs {
			described[name] = true
		}
	}
}
