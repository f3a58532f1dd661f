/** Gives the focus to the heading of the nearest of these elements that shows one. */
function focusNearest(elements: readonly Element[]): void {
  for (const element of elements) {
    if (!element.isConnected) continue;
    const headings = Array.from(element.querySelectorAll<HTMLElement>('h1, h2, h3'));
    const heading = headings.find((one) => one.checkVisibility());
    if (heading === undefined) continue;
    if (!heading.hasAttribute('tabindex')) heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    return;
  }
}

const isLost = (): boolean => document.activeElement === document.body;

/**
 * Keeps the place of keyboard users in a page. Where an action removes the element that has the focus, the heading of the nearest part
 * that is left takes it; an element that was disabled in between has it again. A user who leaves an element, and a part that
 * moves the focus itself, are not overruled.
 */
export function keepFocus(root: HTMLElement): void {
  /** The element that has the focus, or lost it, and its ancestors, the nearest first. */
  let place: Element[] = [];
  root.addEventListener('focusin', ({ target }) => {
    place = [];
    for (let at = target as Element | null; at !== null; at = at.parentElement) place.push(at);
  });
  root.addEventListener('focusout', ({ target }) => {
    // Users leave an element that is still there; one that is removed or disabled loses the focus.
    setTimeout(() => {
      const [last] = place;
      if (target === last && isLost() && last?.isConnected && !last.matches(':disabled')) place = [];
    });
  });
  const settle = () => {
    const [last] = place;
    if (last === undefined || !isLost()) return;
    if (!last.isConnected) focusNearest(place);
    else if (last.matches(':enabled')) (last as HTMLElement).focus({ preventScroll: true });
  };
  // After the render, and after the parts that know a better place.
  new MutationObserver(() => setTimeout(settle)).observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled'],
  });
}
