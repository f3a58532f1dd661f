/** Moves the focus to the heading of the page if nothing has it, as when an action removed the element that had it. */
export function focusHeading(): void {
  if (document.activeElement !== document.body) return;
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
