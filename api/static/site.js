// The switch of colours. The server reads the cookie, so that pages have their colours from the start.

const root = document.documentElement;
const button = document.getElementById("theme");
const preference = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ?? (preference.matches ? "dark" : "light")) === "dark";

function label() {
  button.setAttribute("aria-pressed", String(isDark()));
}

button.addEventListener("click", () => {
  const theme = isDark() ? "light" : "dark";
  root.dataset.theme = theme;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `theme=${theme}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  label();
});
preference.addEventListener("change", label);
label();
button.hidden = false;
