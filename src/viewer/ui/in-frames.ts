/** Frames that a row may take to be in the page after it was asked for. */
const MOST_FRAMES = 20;

/** Tries with each frame that the browser shows until `attempt` says that it is over, not for ever. Answers how to stop it. */
export function inFrames(attempt: () => boolean): () => void {
  let left = MOST_FRAMES;
  const next = () => {
    left -= 1;
    if (!attempt() && left > 0) frame = requestAnimationFrame(next);
  };
  let frame = requestAnimationFrame(next);
  return () => cancelAnimationFrame(frame);
}
