# SPDX-License-Identifier: GPL-2.0-or-later
# More verbs, for the tests of reports.  Source it after lib.sh.
#
#   sample [OPTIONS...]           run the example, which has mistakes, into blackout.out; $status is that of blackout
#   again [OPTIONS...]            check the same recording again
#   findings FILTER               apply jq's FILTER to findings.json
#   browse WIDTH SCHEME FILE JS   open FILE in a browser of that width, light or dark, and run the script JS in it; its
#                                 result is in the file probe, and the browser's console output in the file console

sample() {
	local kv=$BUILD/examples/kv
	[ -e pool ] || "$kv" create pool || fail "cannot make a pool"
	run "$BLACKOUT" run --no-progress "$@" -- "$kv" fill pool 40
}

again() {
	run "$BLACKOUT" check --no-progress "$@" blackout.out
}

findings() {
	jq -r "$1" blackout.out/findings.json
}

# The page is in a frame of the requested width, because browser windows have a minimum width.  The script sends its
# result to the outer page, where --dump-dom shows it.
browse() {
	local width=$1 scheme=$2 file=$3 script=$4 option=
	command -v chromium >/dev/null || fail "there is no chromium"
	[ "$scheme" = dark ] && option=--blink-settings=preferredColorScheme=0
	awk -v script="$script" '
		$0 == "</body>" {
			print "<script>"
			while ((getline line <script) > 0)
				print line
			print "</script>"
		}
		{ print }' "$file" >page.html
	cat >outer.html <<-END
		<!DOCTYPE html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
		<script>onmessage = (e) => document.body.insertAdjacentHTML("beforeend", "<pre id=probe></pre>") ||
		document.getElementById("probe").append(e.data);</script>
		<body><iframe src="page.html" style="width: ${width}px; height: 900px; border: 0"></iframe></body>
	END
	# Chromium needs a writable home.
	HOME=$PWD timeout -k 5 200 chromium --headless=new \
		--no-sandbox --disable-gpu --disable-background-networking --disable-dev-shm-usage \
		--no-first-run --user-data-dir="$PWD/browser" --hide-scrollbars --window-size=1400,1000 $option \
		--virtual-time-budget=5000 --enable-logging=stderr --dump-dom "file://$PWD/outer.html" >dom.html \
			2>browser.err ||
		fail "chromium: $(tail -n 3 browser.err)"
	grep ':CONSOLE' browser.err >console || true
	sed -n 's,^.*<pre id="probe">\([^<]*\)</pre>.*$,\1,p' dom.html | sed 's/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g' |
		tr '|' '\n' >probe
	rm -rf browser
	[ -s probe ] || fail "the script in the page did not end: $(cat console)"
}
