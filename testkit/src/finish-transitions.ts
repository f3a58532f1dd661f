/** A script that finishes all finite animations of a page, so that colours have their final values. */
export const FINISH_TRANSITIONS = `document.getAnimations()
  .filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime))
  .forEach((animation) => animation.finish())`;
