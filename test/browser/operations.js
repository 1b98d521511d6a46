// In report.html of a run with operations: the strips fit, and show where the power failed; what was expected is beside what came.
const problems = [];
const expect = (right, what) => right || problems.push(what);
const $$ = (selector) => [...document.querySelectorAll(selector)];

addEventListener("load", () => {
	for (const finding of $$("details"))
		finding.open = true;
	const strips = $$("svg.strip");
	expect(strips.length >= 2, strips.length + " strips");
	for (const strip of strips) {
		const box = strip.getBoundingClientRect();
		expect(box.width > 250 && box.left >= 0 && box.right <= innerWidth + 0.5, "a strip from " + box.left + " to " + box.right);
		for (const mark of strip.querySelectorAll("line.crash")) {
			const at = mark.getBoundingClientRect().left;
			expect(at >= box.left - 2 && at <= box.right + 2, "a crash outside of its strip");
		}
		expect(strip.querySelectorAll("line.crash").length > 0, "a strip without a crash");
		expect(strip.querySelectorAll("line.tick").length <= 64, "too many ticks");
		for (const text of strip.querySelectorAll("text")) {
			const words = text.getBoundingClientRect();
			expect(words.left >= box.left - 2 && words.right <= box.right + 2, "the text is cut: " + text.textContent);
		}
	}
	for (const link of $$("svg.strip a"))
		expect(document.querySelector(link.getAttribute("href")), "a link to nowhere: " + link.getAttribute("href"));
	for (const sides of $$(".sides")) {
		expect(sides.querySelectorAll(".expected").length >= 1 && sides.querySelectorAll(".got").length === 1, "a side is missing");
		// Side by side if there is room.
		const [first, got] = [sides.querySelector(".expected"), sides.querySelector(".got")].map((side) => side.getBoundingClientRect());
		expect(innerWidth < 700 || first.top === got.top, "one below the other");
	}
	expect($$(".sides").length > 0, "no outputs side by side");
	expect(document.documentElement.scrollWidth <= innerWidth, "the page is " + document.documentElement.scrollWidth + " wide");
	parent.postMessage(problems.length ? problems.join("|") : "fine", "*");
});
