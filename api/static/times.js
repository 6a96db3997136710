// Times of forms, which the server gives in UTC: shown in the time of the browser, and sent with its offset.

const MINUTE = 60_000;

for (const offset of document.querySelectorAll("input[data-offset-of]")) {
  const input = document.getElementById(offset.dataset.offsetOf);
  const utc = new Date(`${input.value}Z`);
  // A browser may have filled in again what was typed before.
  if (input.value === input.defaultValue && !Number.isNaN(utc.getTime())) {
    const local = new Date(utc.getTime() - utc.getTimezoneOffset() * MINUTE);
    input.value = local.toISOString().slice(0, input.value.length);
  }
  const note = () => {
    const at = new Date(input.value);
    offset.value = -(Number.isNaN(at.getTime()) ? new Date() : at).getTimezoneOffset();
  };
  input.addEventListener("input", note);
  input.form.addEventListener("submit", note);
  note();
  const [label] = input.labels;
  label.textContent = label.textContent.replace("(UTC)", "(your time)");
}
