/** The tones of each event, in Hz: up for what is done, level for a question, down for what has failed. */
const TONES = { done: [660, 880], needsYou: [784, 784], failed: [523, 392] } as const;
const TONE_SECONDS = 0.14;
/** Of full volume. */
const LOUDNESS = 0.12;

/**
 * Plays the short sound of an event. It is made here, so nothing is fetched. Where the browser allows no sound, because the user has not been
 * in this page yet, nothing is heard, and nothing comes late.
 */
export function playChime(event: keyof typeof TONES): void {
  if (!navigator.userActivation.hasBeenActive) return;
  const audio = new AudioContext();
  audio.resume().then(
    () => ring(audio, event),
    () => audio.close(),
  );
}

function ring(audio: AudioContext, event: keyof typeof TONES): void {
  const tones = TONES[event].map((frequency, at) => {
    const tone = new OscillatorNode(audio, { type: "sine", frequency });
    const volume = new GainNode(audio, { gain: 0 });
    const start = audio.currentTime + at * TONE_SECONDS;
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(LOUDNESS, start + 0.02);
    volume.gain.linearRampToValueAtTime(0, start + TONE_SECONDS);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + TONE_SECONDS);
    return tone;
  });
  tones.at(-1)?.addEventListener("ended", () => void audio.close(), { once: true });
}
