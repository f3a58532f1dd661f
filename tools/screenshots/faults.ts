import { FINISH_TRANSITIONS } from '@svc/testkit';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * Script that finds layout faults in a page: overflow of the window, overlapping controls, text that is cut off and shown nowhere else,
 * dialogs with a cut bar of buttons, images that did not load.
 */
const LAYOUT_FAULTS = `(() => {
  const CONTROLS = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=tab], [role=menuitem], [role=option]';
  const faults = [];
  const named = (node) => {
    const text = (node.getAttribute('aria-label') ?? node.textContent ?? '').trim().replace(/\\s+/g, ' ').slice(0, 40);
    return node.localName + [...node.classList].map((name) => '.' + name).join('') + (text && ' "' + text + '"');
  };
  const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (over > 0) {
    const edge = document.documentElement.clientWidth;
    const clipped = (node) => {
      for (let parent = node.parentElement; parent && parent !== document.body; parent = parent.parentElement)
        if (getComputedStyle(parent).overflowX !== 'visible') return true;
      return false;
    };
    const wide = [...document.body.querySelectorAll('*')].filter((node) => node.getBoundingClientRect().right > edge + 1 && !clipped(node));
    faults.push('overflows its window by ' + over + ' px: ' + wide.slice(-2).map(named).join(', '));
  }
  const isShown = (node) => node.checkVisibility({ opacityProperty: false, visibilityProperty: true });
  // The visible part of a box: a scrolling ancestor clips it.
  const seen = (node) => {
    let { left, top, right, bottom } = node.getBoundingClientRect();
    for (let parent = node.parentElement; parent && parent !== document.body; parent = parent.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(parent);
      const box = parent.getBoundingClientRect();
      if (overflowX !== 'visible') [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      if (overflowY !== 'visible') [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { left, top, right, bottom };
  };
  // Fixed and sticky elements overlap others on purpose.
  const layer = (node) => {
    for (let parent = node; parent && parent !== document.body; parent = parent.parentElement) {
      if (['fixed', 'sticky'].includes(getComputedStyle(parent).position) || parent.localName === 'dialog' || parent.matches('[role=dialog], [popover]')) return parent;
    }
    return null;
  };
  // A summary may cover its whole row: what is above it there stays in reach.
  const covers = (node) => node.localName === 'summary' && getComputedStyle(node).position === 'absolute';
  const isAbove = (node) => getComputedStyle(node).position !== 'static' && Number(getComputedStyle(node).zIndex) > 0;
  const controls = [...document.body.querySelectorAll(CONTROLS)].filter(isShown).map((node) => ({ node, box: seen(node), layer: layer(node) }));
  const drawn = controls.filter(({ box }) => box.right - box.left > 2 && box.bottom - box.top > 2);
  drawn.sort((a, b) => a.box.top - b.box.top);
  for (const [i, a] of drawn.entries())
    for (let j = i + 1; j < drawn.length; j += 1) {
      const b = drawn[j];
      if (b.box.top >= a.box.bottom - 2) break;
      if (a.layer !== b.layer || a.node.contains(b.node) || b.node.contains(a.node)) continue;
      if ((covers(a.node) && isAbove(b.node)) || (covers(b.node) && isAbove(a.node))) continue;
      // The box of a link with several lines contains its neighbours.
      const lines = (node) => (getComputedStyle(node).display === 'inline' ? [...node.getClientRects()] : [node.getBoundingClientRect()]);
      const meet = (p, q) => Math.min(p.right, q.right) - Math.max(p.left, q.left) > 3 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 3;
      if (meet(a.box, b.box) && lines(a.node).some((p) => lines(b.node).some((q) => meet(p, q))))
        faults.push(named(a.node) + ' overlaps ' + named(b.node));
    }
  // Overlapping texts: each line of a text is a box.
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text && texts.length < 4000; text = walker.nextNode()) {
    const parent = text.parentElement;
    if (text.data.trim() === '' || !isShown(parent) || parent.closest('.sr, .unseen, .skip, svg, script, style, noscript, select, textarea')) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const style = getComputedStyle(parent);
    // Only for screen readers.
    if (style.clipPath !== 'none') continue;
    // What hides its ends without an ellipsis, up to the next part that scrolls.
    let edges = { left: -1e6, right: 1e6 };
    for (let outer = parent; outer && outer !== document.body; outer = outer.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(outer);
      if (overflowX === 'auto' || overflowX === 'scroll' || textOverflow === 'ellipsis') break;
      const box = outer.getBoundingClientRect();
      if (overflowX !== 'visible') edges = { left: Math.max(edges.left, box.left), right: Math.min(edges.right, box.right) };
    }
    if ([...range.getClientRects()].some(({ left, right }) => right > 0 && (left < edges.left - 2 || right > edges.right + 2)))
      faults.push('text cut off at an edge: ' + named(parent));
    const clips = style.overflowX !== 'visible' ? parent.getBoundingClientRect() : null;
    let around = clips ?? { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };
    for (let outer = parent.parentElement; outer && outer !== document.body; outer = outer.parentElement) {
      const { overflowX, overflowY, clipPath } = getComputedStyle(outer);
      if (clipPath !== 'none') around.right = around.left;
      const box = outer.getBoundingClientRect();
      if (overflowX !== 'visible') around = { ...around, left: Math.max(around.left, box.left), right: Math.min(around.right, box.right) };
      if (overflowY !== 'visible') around = { ...around, top: Math.max(around.top, box.top), bottom: Math.min(around.bottom, box.bottom) };
    }
    // A word that fits a line must not be broken.
    for (const word of parent.closest('code, pre, kbd') ? [] : text.data.matchAll(/\\p{L}{2,14}/gu)) {
      const letters = document.createRange();
      letters.setStart(text, word.index);
      letters.setEnd(text, word.index + word[0].length);
      const isWhole = !/\\S/.test((text.data[word.index - 1] ?? '') + (text.data[word.index + word[0].length] ?? ''));
      if (isWhole && new Set([...letters.getClientRects()].map(({ top }) => Math.round(top))).size > 1) faults.push('word broken: ' + word[0] + ' in ' + named(parent));
    }
    for (const line of range.getClientRects()) {
      const box = { left: Math.max(line.left, around.left), top: Math.max(line.top, around.top), right: Math.min(line.right, around.right), bottom: Math.min(line.bottom, around.bottom) };
      // Text outside the page is for screen readers.
      if (box.right <= 0) continue;
      if (box.right - box.left > 4 && box.bottom - box.top > 8) texts.push({ parent, box, layer: layer(parent) });
    }
  }
  texts.sort((a, b) => a.box.top - b.box.top);
  for (const [i, a] of texts.entries())
    for (let j = i + 1; j < texts.length && texts[j].box.top < a.box.bottom - 6; j += 1) {
      const b = texts[j];
      const over = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (a.parent !== b.parent && a.layer === b.layer && over > 6 && Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left) > 4)
        faults.push('overlapping texts: ' + named(a.parent) + ' and ' + named(b.parent));
    }
  for (const node of document.body.querySelectorAll('*')) {
    const style = getComputedStyle(node);
    const hides = ['hidden', 'clip'];
    if (!isShown(node) || node.matches('input, select, textarea, svg, svg *, img, iframe, .sr, .unseen')) continue;
    const { width, height } = node.getBoundingClientRect();
    if (width < 2 || height < 2) continue;
    const hasText = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== '');
    const isTooWide = node.scrollWidth > node.clientWidth + 1;
    if (hasText && isTooWide && style.textOverflow === 'ellipsis' && /flex|grid/.test(style.display))
      faults.push('an ellipsis has no effect in a flex or grid container: ' + named(node));
    if (!hasText || node.closest('[title]')) continue;
    const isCutAside = hides.includes(style.overflowX) && isTooWide && style.textOverflow !== 'ellipsis';
    const isCutBelow = hides.includes(style.overflowY) && node.scrollHeight > node.clientHeight + 2 && style.webkitLineClamp === 'none';
    if (isCutAside || (isCutBelow && style.textOverflow !== 'ellipsis')) faults.push('text cut off: ' + named(node));
  }
  for (const bar of document.querySelectorAll('.modal > .dialog-buttons'))
    if (bar.offsetWidth < bar.parentElement.clientWidth) faults.push('narrower than its dialog: ' + named(bar));
  for (const picture of document.images)
    if (isShown(picture) && picture.src !== '' && (!picture.complete || picture.naturalWidth === 0)) faults.push('image not loaded: ' + picture.src);
  return [...new Set(faults)];
})()`;

/** How often images are looked for: a list that is drawn late has its own, and another width may choose other sources. */
const ROUNDS = 10;

/** Loads lazy images, and waits for all images and fonts. */
const SETTLED = `(async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (let round = 0; round < ${ROUNDS}; round += 1) {
    await drawn();
    for (const picture of document.images) picture.loading = 'eager';
    const missing = [...document.images].filter(({ complete, naturalWidth }) => !complete || naturalWidth === 0);
    if (missing.length === 0) break;
    // An image that does not load is reported separately.
    await Promise.all(missing.map((picture) => picture.decode().catch(() => {})));
  }
  // What is not loading any more may not be ready to be drawn.
  await Promise.all([...document.images].map((picture) => picture.decode().catch(() => {})));
  await document.fonts.ready;
  ${FINISH_TRANSITIONS};
  await drawn();
})()`;

/** Waits until a page has settled. */
export const settle = (page: Page): Promise<unknown> => page.evaluate(SETTLED);

/** The faults of a page in its current state: layout faults, and findings of axe. */
export async function faultsOf(page: Page): Promise<string[]> {
  const layout = await page.evaluate<string[]>(LAYOUT_FAULTS);
  if (!(await page.evaluate<boolean>('globalThis.axe !== undefined'))) await page.evaluate(axe.source);
  const violations = await page.evaluate<string[]>(
    `axe.run({ iframes: false }).then(({ violations }) => violations.map(({ id, nodes }) => 'axe: ' + id + ': ' + nodes.slice(0, 2).map(({ html }) => html.slice(0, 120)).join(' ')))`,
  );
  return [...layout, ...violations];
}
