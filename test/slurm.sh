# SPDX-License-Identifier: GPL-2.0-or-later
# Verbs for tests that need a cluster: a real Slurm of two nodes, `near` and `far`, on the loopback address.  It has its
# own key, sockets, ports and directories below $PWD/slurm, and nothing of it is left when the test ends.
#
#     . "$ROOT/test/lib.sh"
#     . "$ROOT/test/slurm.sh"
#     slurm_start                     # skips the test where no Slurm can be started
#     ... sbatch, squeue, scontrol and blackout --cluster slurm use it ...
#
#   slurm_start [COMMAND...]   start it; COMMAND starts the daemon of the node far, e.g. in a namespace of its own
#   slurm_nodes STATE          drain both nodes, or let them work again (resume)
#   slurm_tasks                print "TASK STATE NODE" for each task that waits or runs
#   slurm_idle                 are no tasks left?

slurm_home=$PWD/slurm
slurm_pids=()

slurm_port_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Print the first of three ports that nobody uses.
slurm_ports() {
	local first
	while first=$((10000 + (RANDOM * 3) % 20000)); do
		slurm_port_free $first && slurm_port_free $((first + 1)) && slurm_port_free $((first + 2)) && break
	done
	echo $first
}

slurm_configure() {
	local port user
	port=$(slurm_ports)
	user=$(id -un)
	cat >"$slurm_home/slurm.conf" <<-END
		ClusterName=blackout
		SlurmctldHost=localhost(127.0.0.1)
		SlurmctldPort=$port
		SlurmUser=$user
		SlurmdUser=$user
		AuthType=auth/munge
		AuthInfo=socket=$slurm_home/munge.socket
		CredType=cred/munge
		StateSaveLocation=$slurm_home/state
		SlurmdSpoolDir=$slurm_home/spool-%n
		SlurmctldPidFile=$slurm_home/slurmctld.pid
		SlurmdPidFile=$slurm_home/slurmd-%n.pid
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SwitchType=switch/none
		MpiDefault=none
		AccountingStorageType=accounting_storage/none
		JobAcctGatherType=jobacct_gather/none
		JobCompType=jobcomp/none
		SelectType=select/linear
		SchedulerType=sched/builtin
		SchedulerParameters=batch_sched_delay=1
		SlurmdParameters=config_overrides
		ReturnToService=2
		KillWait=5
		MailProg=/bin/true
		NodeName=near NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1
		NodeName=far NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1
		PartitionName=all Nodes=near,far Default=YES MaxTime=INFINITE State=UP
	END
}

# Run a daemon in the background; its messages are in $slurm_home/NAME.log.
slurm_daemon() {
	local name=$1
	shift
	"$@" >"$slurm_home/$name.log" 2>&1 </dev/null &
	slurm_pids+=($!)
}

slurm_alive() {
	local pid
	for pid in "${slurm_pids[@]}"; do
		kill -0 "$pid" 2>/dev/null || return 1
	done
}

# No task is running, and whoever was started by this Slurm is gone.
slurm_stop() {
	local pid
	[ ${#slurm_pids[@]} -gt 0 ] || return 0
	scancel --quiet --user="$(id -un)" >/dev/null 2>&1
	for pid in {1..100}; do
		slurm_idle && break
		sleep 0.05
	done
	kill "${slurm_pids[@]}" 2>/dev/null
	wait "${slurm_pids[@]}" 2>/dev/null
	slurm_pids=()
	# Daemons of jobs outlive the others.
	for pid in $(grep -lzsx "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ | cut -d / -f 3); do
		kill -KILL "$pid" 2>/dev/null
	done
}

slurm_cannot() {
	tail -n 3 "$slurm_home"/*.log
	slurm_stop
	skip "no Slurm can be started here: $1"
}

slurm_start() {
	local program end
	for program in munged slurmctld slurmd sbatch squeue scancel scontrol; do
		PATH=$PATH:/usr/sbin command -v $program >/dev/null || skip "no Slurm can be started here: there is no $program"
	done
	PATH=$PATH:/usr/sbin
	mkdir -p "$slurm_home/state"
	trap slurm_stop EXIT
	export SLURM_CONF=$slurm_home/slurm.conf
	slurm_configure
	head -c 1024 /dev/urandom >"$slurm_home/munge.key"
	chmod 600 "$slurm_home/munge.key"
	slurm_daemon munged munged --foreground --force --key-file="$slurm_home/munge.key" \
		--socket="$slurm_home/munge.socket" --pid-file="$slurm_home/munged.pid" \
		--log-file="$slurm_home/munged.log" --seed-file="$slurm_home/munge.seed"
	for end in {1..200}; do
		[ ! -S "$slurm_home/munge.socket" ] || break
		sleep 0.05
	done
	slurm_daemon slurmctld slurmctld -D -c
	slurm_daemon near slurmd -D -N near
	slurm_daemon far "$@" slurmd -D -N far
	end=$((SECONDS + 60))
	until [ "$(sinfo --noheader --format=%D --states=idle 2>/dev/null)" = 2 ]; do
		slurm_alive || slurm_cannot "a daemon ended"
		[ $SECONDS -lt $end ] || slurm_cannot "its nodes are not idle after a minute"
		sleep 0.1
	done
}

slurm_nodes() { scontrol update nodename=near,far state="$1" reason=test; }
slurm_tasks() { squeue --noheader --array --Format='ArrayTaskID: ,State: ,NodeList:'; }
slurm_idle() { [ -z "$(squeue --noheader 2>&1)" ]; }
