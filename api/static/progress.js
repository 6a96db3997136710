// Follows what goes on at the service: the part of the page with the id "progress-part" is replaced by its present
// state until it is no longer busy.

const PAUSE = 1500;
const place = document.getElementById("progress-part");

async function look() {
  if (!document.hidden) {
    try {
      const response = await fetch(location.href, { headers: { Accept: "text/html" } });
      const there = new DOMParser().parseFromString(await response.text(), "text/html");
      const found = there.getElementById("progress-part");
      if (found === null) {
        location.reload();
        return;
      }
      if (found.innerHTML !== place.innerHTML) place.replaceChildren(...found.childNodes);
      if (!("busy" in found.dataset)) {
        delete place.dataset.busy;
        return;
      }
    } catch {
      // The service may be restarting.
    }
  }
  setTimeout(look, PAUSE);
}

setTimeout(look, PAUSE);
