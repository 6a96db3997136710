// The buttons beside a link: copy it, or pass it to the browser to share.

async function copy(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return "Copied.";
  } catch {
    // Without HTTPS, browsers have no clipboard for pages.
    field.select();
    return "Copy it from the field.";
  }
}

async function share(field, title) {
  try {
    await navigator.share({ title, url: field.value });
  } catch (error) {
    if (error.name !== "AbortError") return copy(field);
  }
  return "";
}

for (const box of document.querySelectorAll(".share")) {
  const field = box.querySelector("input");
  field.addEventListener("focus", () => field.select());
  for (const button of box.querySelectorAll("button[data-does]")) {
    const shares = button.dataset.does === "share";
    button.hidden = shares && !navigator.share;
    button.addEventListener("click", async () => {
      const said = shares ? await share(field, box.dataset.title) : await copy(field);
      box.querySelector("[role=status]").textContent = said;
    });
  }
}
