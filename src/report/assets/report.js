// Filter and unfold.  Without this script the page shows everything.
(() => {
	const $ = (id) => document.getElementById(id);
	const findings = [...document.querySelectorAll(".finding")];
	const boxes = [...document.querySelectorAll("input[data-severity]")];
	if (!findings.length)
		return;

	const apply = () => {
		const severities = new Set(boxes.filter((box) => box.checked).map((box) => box.dataset.severity));
		const text = $("text").value.trim().toLowerCase();
		let shown = 0;
		for (const finding of findings) {
			const data = finding.dataset;
			const pass = severities.has(data.severity) &&
				(!$("kind").value || data.kind === $("kind").value) &&
				(!$("file").value || data.file === $("file").value) &&
				(!text || finding.querySelector("summary").textContent.toLowerCase().includes(text));
			finding.hidden = !pass;
			shown += pass;
		}
		$("shown").textContent = shown + " of " + findings.length + " shown";
		$("none").hidden = shown > 0;
		label();
	};
	const visible = () => findings.filter((finding) => !finding.hidden);
	const label = () => {
		$("unfold").textContent = visible().some((finding) => !finding.open) ? "unfold all" : "fold all";
	};
	const go = () => {
		const finding = location.hash && $(location.hash.slice(1));
		if (!finding || !finding.classList.contains("finding"))
			return;
		finding.hidden = false;
		finding.open = true;
		finding.scrollIntoView();
	};

	for (const control of [...boxes, $("kind"), $("file"), $("text")])
		control.addEventListener("input", apply);
	$("unfold").addEventListener("click", () => {
		const open = visible().some((finding) => !finding.open);
		for (const finding of visible())
			finding.open = open;
		label();
	});
	for (const finding of findings) {
		finding.addEventListener("toggle", label);
		// The event that the finding is about, in the middle of a narrow drawing.
		finding.addEventListener("toggle", () => {
			const drawing = finding.querySelector(".drawing"), mark = finding.querySelector("svg .mark");
			if (finding.open && drawing && mark)
				drawing.scrollLeft = mark.getBBox().x - drawing.clientWidth / 2;
		}, { once: true });
	}
	window.addEventListener("hashchange", go);
	apply();
	go();
})();
