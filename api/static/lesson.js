// The table of a lesson. Its cards are links, as the answers beside it are.

const data = JSON.parse(by("data").textContent);
data.partners = data.teams.some((team) => team.length > 1);

by("board").hidden = false;
document.body.classList.add("scripted");
drawBoard(data, data.picture, 0, false);
for (const item of document.querySelectorAll('#felt .seat[data-seat="0"] .hand li')) {
  const drawn = item.querySelector(".card");
  const address = data.answers[drawn.dataset.card];
  if (!address) continue;
  // The list of answers is for the keyboard.
  const link = html("a", { href: address, class: "card-link", tabindex: -1, "aria-label": `Play ${data.cards[drawn.dataset.card]}` });
  drawn.setAttribute("aria-hidden", "true");
  drawn.replaceWith(link);
  link.append(drawn);
}
