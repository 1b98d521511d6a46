// SPDX-License-Identifier: GPL-2.0-or-later
// Use report.html as a person would, and note what is not as it should be.  The notes, apart by "|", or "fine", are sent to the
// outer page.|".
(async () => {
	const notes = [];
	const expect = (right, note) => { if (!right) notes.push(note); };
	const $ = (selector) => document.querySelector(selector);
	const $$ = (selector) => [...document.querySelectorAll(selector)];
	const shown = () => $$(".finding").filter((finding) => finding.getClientRects().length);
	const pause = () => new Promise((resolve) => setTimeout(resolve, 30));
	const set = async (control, value) => {
		if (control.type === "checkbox")
			control.click();
		else {
			control.value = value;
			control.dispatchEvent(new Event("input"));
		}
		await pause();
	};
	const fits = (what) => expect(document.documentElement.scrollWidth <= innerWidth,
		what + ": the page is " + document.documentElement.scrollWidth + " wide in a window of " + innerWidth);

	// Relative luminance and contrast as WCAG defines them.
	const luminance = (color) => {
		const parts = color.match(/[\d.]+/g).slice(0, 3).map((part) => {
			const c = part / 255;
			return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
		});
		return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
	};
	const ground = (element) => {
		for (let e = element; e; e = e.parentElement) {
			const color = getComputedStyle(e).backgroundColor;
			if (!/^rgba\(.*, 0\)$/.test(color))
				return color;
		}
		return "rgb(255, 255, 255)";
	};
	const legible = (selector) => {
		const element = $$(selector).find((e) => e.getClientRects().length);
		if (!element)
			return expect(false, selector + " is not there");
		const a = luminance(getComputedStyle(element).color), b = luminance(ground(element));
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		expect(contrast >= 4.5, selector + " has a contrast of " + contrast.toFixed(1));
	};

	try {
		const all = shown().length, total = $$(".finding").length;
		const dark = matchMedia("(prefers-color-scheme: dark)").matches;
		expect(innerWidth === 400 || innerWidth === 1280, "the window is " + innerWidth + " wide");
		expect(all >= 4, "only " + all + " findings are shown");
		expect((luminance(ground(document.body)) < 0.2) === dark, "the page is not " + (dark ? "dark" : "light"));
		expect($("#shown").textContent === all + " of " + total + " shown", "it counts: " + $("#shown").textContent);
		fits("folded");

		// Filters, one at a time and together.
		const kinds = new Set(shown().map((finding) => finding.dataset.kind));
		for (const kind of kinds) {
			await set($("#kind"), kind);
			expect(shown().length > 0 && shown().every((finding) => finding.dataset.kind === kind), "filter by kind " + kind);
		}
		expect(kinds.size > 1, "one kind only");
		await set($("#text"), "no such text anywhere");
		expect(shown().length === 0 && !$("#none").hidden, "filter by text lets through " + shown().length);
		await set($("#text"), "");
		await set($("#kind"), "");
		expect(shown().length === all && $("#none").hidden, "all is not there again");
		for (const severity of ["error", "performance", "warning"]) {
			const box = $('input[data-severity="' + severity + '"]');
			const count = Number(box.parentElement.querySelector("b").textContent);
			await set(box);
			expect(shown().length === all - count, "without " + severity + ": " + shown().length);
			expect(shown().every((finding) => finding.dataset.severity !== severity), "filter by severity " + severity);
			await set(box);
		}
		const file = $("#file").options[1].value;
		await set($("#file"), file);
		expect(shown().length > 0 && shown().every((finding) => finding.dataset.file === file), "filter by file " + file);
		await set($("#file"), "");

		// Unfold one by clicking on it, then all, then none.
		const first = shown()[0];
		first.querySelector("summary").click();
		await pause();
		expect(first.open && first.querySelector(".body").getClientRects().length, "a click does not unfold");
		expect(first.querySelector(".source .here") || !$(".source"), "no line of the source is marked");
		expect(first.querySelector(".stack li"), "there is no stack");
		fits("one unfolded");
		$("#unfold").click();
		await pause();
		expect(shown().every((finding) => finding.open), "unfold all");
		fits("all unfolded");
		for (const details of $$(".finding details"))
			details.open = true;
		await pause();
		fits("everything unfolded");
		expect($("#unfold").textContent === "fold all", "the button says " + $("#unfold").textContent);

		// Nothing that is shown lies outside its box, except what can be scrolled to.
		for (const element of $$(".body p, .body h3, .body pre, .body ol, .drawing, .onmedia, .legend, .tile, .filter > *, summary > *")) {
			const box = element.getBoundingClientRect();
			if (box.width && (box.left < -0.5 || box.right > innerWidth + 0.5))
				expect(false, element.className + " reaches from " + box.left + " to " + box.right);
		}
		// The drawings: columns for events, with the one that the finding is about marked, and words to point at.
		const drawings = $$(".drawing svg");
		expect(drawings.length > 0, "there is no drawing");
		for (const svg of drawings) {
			expect(svg.querySelectorAll(".event").length > 0, "a drawing without events");
			expect(svg.querySelectorAll(".example").length >= 1, "a drawing that marks nothing");
			expect([...svg.querySelectorAll(".event")].every((event) => event.querySelector("title").textContent), "an event without title");
			expect(svg.querySelectorAll(".clean, .dirty, .await, .order").length === 8 * svg.querySelectorAll(".event").length, "8 words per event");
			for (const text of svg.querySelectorAll("text")) {
				const box = text.getBBox();
				expect(box.x >= -1 && box.x + box.width <= svg.viewBox.baseVal.width + 1, "a text in a drawing is cut: " + text.textContent);
			}
		}
		// Crash findings: the story, and a drawing with a row for each store, kept or lost, that leads to the failure of power.
		for (const finding of shown().filter((f) => /^(recovery-|output-)/.test(f.dataset.kind))) {
			const svg = finding.querySelector(".onmedia svg");
			expect(finding.querySelectorAll(".story li").length >= 3, "a crash without its story");
			expect(/\sstates?$/.test(finding.querySelector(".count").textContent), "it counts " + finding.querySelector(".count").textContent);
			expect(/blackout replay DIR F\d+/.test(finding.querySelector(".body").textContent), "it does not say how to replay");
			if (!svg)
				continue;
			expect(svg.querySelectorAll(".store").length > 0, "a drawing without stores");
			// Both columns can be seen at once: nobody scrolls to learn what was on media.
			const frame = finding.querySelector(".onmedia");
			expect(frame.scrollWidth <= frame.clientWidth, "what was on media is " + frame.scrollWidth + " wide in " + frame.clientWidth);
			expect([...svg.querySelectorAll(".lost")].every((row) => row.querySelector(".cross") && !row.querySelector(".head")), "a lost store arrives");
			expect([...svg.querySelectorAll(".kept")].every((row) => row.querySelector(".head") && !row.querySelector(".cross")), "a kept store is lost");
			expect(svg.querySelector(".fails").textContent.startsWith("power fails before"), "no failure of power");
			for (const text of svg.querySelectorAll("text")) {
				const box = text.getBBox();
				expect(box.x >= -1 && box.x + box.width <= svg.viewBox.baseVal.width + 1, "a text in a drawing is cut: " + text.textContent);
			}
		}
		expect($$(".onmedia svg .lost").length > 0, "no store is lost in any drawing");
		for (const selector of [".message", ".kind", ".badge", ".place", ".count", ".facts dt", ".about", ".legend", ".source .line",
			".fix", ".story li", ".printed", ".stack .folded", ".inner > summary", "footer", "#unfold", "#shown"])
			legible(selector);
		if ($(".remark")) // only where there is something to remark
			legible(".remark");
		$("#unfold").click();
		await pause();
		expect(shown().every((finding) => !finding.open), "fold all");

		// A link to a finding opens it.
		location.hash = shown()[1].id;
		await pause();
		expect(shown()[1].open, "a link does not open its finding");
	} catch (error) {
		notes.push("exception: " + error);
	}
	parent.postMessage(notes.length ? notes.join("|").replace(/\n/g, " ") : "fine", "*");
})();
