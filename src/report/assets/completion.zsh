
# The folders of findings in the recording that the first operand names.
_blackout_findings() {
	local -a findings
	findings=(${(Q)~line[1]}/crash/*(N/:t))
	_wanted findings expl finding compadd -a findings
}

_blackout_command() {
	_wanted commands expl command compadd -a _blackout_commands
}

_blackout() {
	local curcontext=$curcontext command ret=1
	local -a line

	if (( CURRENT == 2 )); then
		_describe -t commands command _blackout_described && ret=0
		[[ $words[CURRENT] != -* ]] || _arguments '--help[list the commands]' '--version[print the version]' && ret=0
		return ret
	fi
	command=$words[2]
	shift words
	(( CURRENT-- ))
	(( $+functions[_blackout_options_$command] )) && _blackout_options_$command
}

_blackout "$@"
