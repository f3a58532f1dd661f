/** A script for a page that ends every animation in it that has an end, so that colours are no longer on their way. */
export const FINISH_TRANSITIONS = `document.getAnimations()
  .filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime))
  .forEach((animation) => animation.finish())`;
