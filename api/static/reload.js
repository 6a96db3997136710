// Shows a page anew: when the state at an address has changed, or else after some seconds.

const { poll, seconds } = document.getElementById("reload").dataset;
const pause = () => new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));

async function changed() {
  for (;;) {
    try {
      const reply = await fetch(poll, { headers: { Accept: "application/json" } });
      if (reply.status !== 204) return;
    } catch {
      await pause();
    }
  }
}

await (poll ? changed() : pause());
location.reload();
