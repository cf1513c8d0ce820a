// Shows times in the zone of the reader. The exact time in UTC is in the title. Without scripts, times are in UTC.
(() => {
  const options = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", timeZoneName: "short" };
  const local = new Intl.DateTimeFormat("sv-SE", options), exact = new Intl.DateTimeFormat("sv-SE", { ...options, second: "2-digit" });
  const clock = new Intl.DateTimeFormat("sv-SE", { hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" });
  function show(time) {
    const at = new Date(time.dateTime);
    if (time.dataset.local || !time.textContent.endsWith(" UTC") || Number.isNaN(at.getTime()) || at.getTimezoneOffset() === 0) return;
    time.dataset.local = "";
    const shown = time.textContent;
    time.textContent = (/^\d\d:/.test(shown) ? clock : /:\d\d:\d\d UTC$/.test(shown) ? exact : local).format(at);
  }
  const all = (root) => { if (root.matches?.("time")) show(root); root.querySelectorAll?.("time").forEach(show); };
  all(document);
  new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach(all))).observe(document.documentElement, { childList: true, subtree: true });
})();
