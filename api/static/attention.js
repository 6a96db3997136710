// What calls a person back to the table: the title, the icon of the tab and, once it is chosen, a sound.

const QUIET_TITLE = document.title;
const NOTES = [660, 880]; // hertz
const NOTE = 0.16; // seconds
const LOUDNESS = 0.15;

const icon = document.querySelector("link[rel=icon]");
const quietIcon = icon.href;
let speaker = null;

function callForTurn(isAsked) {
  const title = isAsked ? `● Your turn – ${QUIET_TITLE}` : QUIET_TITLE;
  if (document.title === title) return;
  document.title = title;
  icon.href = isAsked ? data.turn_icon : quietIcon;
}

// Browsers keep a page silent until somebody has pressed something in it.
function ring() {
  if (!by("sound").checked || !navigator.userActivation.hasBeenActive) return;
  speaker ??= new AudioContext();
  speaker.resume();
  NOTES.forEach((frequency, number) => {
    const start = speaker.currentTime + number * NOTE;
    const volume = new GainNode(speaker, { gain: 0 });
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(LOUDNESS, start + 0.02);
    volume.gain.linearRampToValueAtTime(0, start + 2 * NOTE);
    const tone = new OscillatorNode(speaker, { frequency });
    tone.connect(volume).connect(speaker.destination);
    tone.start(start);
    tone.stop(start + 2 * NOTE);
  });
}
