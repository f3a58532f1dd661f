import type { Page } from 'playwright-core';

/**
 * Measures the layout of a page in its browser. It compares the visible lines of text; layers in front (dialogs, menus, sticky
 * bars) are compared only within themselves.
 */
const MEASURE = `(() => {
  const SLACK = 2;
  const MIN_SIDE = 3;
  const faults = [];
  const root = document.documentElement;
  const wider = root.scrollWidth - root.clientWidth;
  if (wider > 0) faults.push('the page is ' + wider + ' px wider than its window');

  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
  const isInFront = (element) => ['fixed', 'sticky'].includes(getComputedStyle(element).position) || element.matches('dialog[open], :popover-open');
  const layerOf = (element) => {
    for (let at = element; at; at = at.parentElement) if (isInFront(at)) return at;
    return root;
  };
  const boxOf = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
  const nameOf = (element) => element.tagName.toLowerCase() + (element.className && typeof element.className === 'string' ? '.' + element.className.trim().split(/ +/).join('.') : '');
  const cut = (box, by) => ({
    left: Math.max(box.left, by.left), top: Math.max(box.top, by.top),
    right: Math.min(box.right, by.right), bottom: Math.min(box.bottom, by.bottom),
  });
  const isSeen = ({ left, top, right, bottom }) => right - left >= MIN_SIDE && bottom - top >= MIN_SIDE;
  const paints = (style) => style.backgroundImage !== 'none' || !/rgba\\(0, 0, 0, 0\\)|transparent/.test(style.backgroundColor)
    || ['Top', 'Right', 'Bottom', 'Left'].some((side) => style['border' + side + 'Style'] !== 'none' && parseFloat(style['border' + side + 'Width']) > 0);

  /** The part of a box that its ancestors do not clip; a line cut in half by a fixed height is a fault. */
  const clipped = (box, element, label) => {
    let left = box;
    for (let at = element; at && at !== root && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      // Text for screen readers only.
      if (style.clipPath === 'inset(50%)' || style.clip === 'rect(0px, 0px, 0px, 0px)') return { left: 0, top: 0, right: 0, bottom: 0 };
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const next = cut(left, boxOf(at.getBoundingClientRect()));
      const tall = next.bottom - next.top;
      const clamps = style.webkitLineClamp !== 'none' || style.overflowY === 'auto' || style.overflowY === 'scroll';
      if (label && !clamps && isSeen(next) && tall < 0.6 * (left.bottom - left.top)) faults.push(label + ' is cut off by ' + nameOf(at));
      left = next;
    }
    return left;
  };

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!/\\S/.test(node.data) || !isShown(element) || element.closest('script, style, noscript, option, svg')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const label = '"' + node.data.trim().slice(0, 40) + '" in ' + nameOf(element);
    // A word that fits a line of the smallest window must not be broken.
    for (const word of element.closest('code, pre, kbd, .unseen, .skip') ? [] : node.data.matchAll(/(?<!\\S)\\p{L}{2,14}(?!\\S)/gu)) {
      const letters = document.createRange();
      letters.setStart(node, word.index);
      letters.setEnd(node, word.index + word[0].length);
      if (new Set([...letters.getClientRects()].map(({ top }) => Math.round(top))).size > 1) faults.push('"' + word[0] + '" is broken in ' + nameOf(element));
    }
    const lines = [...range.getClientRects()].map((rect) => {
      // A line box is taller than its letters.
      const spare = rect.height * 0.18;
      return { left: rect.left, right: rect.right, top: rect.top + spare, bottom: rect.bottom - spare };
    });
    for (const line of lines) {
      const box = clipped(line, element, label);
      // Headings without room on a phone are placed left of the page, for screen readers.
      if (isSeen(box) && box.right > 0) texts.push({ node, element, label, box, layer: layerOf(element) });
    }
  }

  /** Controls, pictures, and the pseudo-elements before and after an element. */
  const drawn = [];
  for (const element of document.body.querySelectorAll('*')) {
    if (!isShown(element)) continue;
    if (element.matches('button, input:not([type=hidden]), select, textarea, progress, meter, img, svg:has(*), a.button')) {
      const box = clipped(boxOf(element.getBoundingClientRect()), element, '');
      if (isSeen(box)) drawn.push({ element, label: nameOf(element), box, layer: layerOf(element), isControl: !element.matches('img, svg') });
    }
    for (const pseudo of ['::before', '::after']) {
      const style = getComputedStyle(element, pseudo);
      if (style.content === 'none' || style.position !== 'absolute' || !paints(style) || getComputedStyle(element).position === 'static') continue;
      const around = element.getBoundingClientRect();
      const own = getComputedStyle(element);
      const left = around.left + parseFloat(own.borderLeftWidth) + parseFloat(style.left);
      const top = around.top + parseFloat(own.borderTopWidth) + parseFloat(style.top);
      const box = clipped({ left, top, right: left + parseFloat(style.width), bottom: top + parseFloat(style.height) }, element, '');
      if (isSeen(box)) drawn.push({ element, label: nameOf(element) + pseudo, box, layer: layerOf(element), isPseudo: true });
    }
  }

  const meet = (one, other) => {
    const both = cut(one.box, other.box);
    return one.layer === other.layer && both.right - both.left > SLACK && both.bottom - both.top > SLACK;
  };
  const related = (one, other) => one.contains(other) || other.contains(one);
  for (let i = 0; i < texts.length; i += 1) {
    const text = texts[i];
    for (let j = i + 1; j < texts.length; j += 1)
      if (texts[j].node !== text.node && meet(text, texts[j])) faults.push(text.label + ' lies over ' + texts[j].label);
    for (const one of drawn)
      if ((one.isPseudo || !related(one.element, text.element)) && meet(text, one)) faults.push(text.label + ' lies over ' + one.label);
    for (let at = text.element; at && at !== text.layer.parentElement && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.display === 'inline' || !paints(style)) continue;
      const around = at.getBoundingClientRect();
      // With preserved white space, a space at the end of a line overflows.
      const { whiteSpaceCollapse, fontSize } = getComputedStyle(text.element);
      const hangs = whiteSpaceCollapse === 'preserve' ? parseFloat(fontSize) / 2 : 0;
      if (text.box.left < around.left - SLACK || text.box.right > around.right + SLACK + hangs) {
        faults.push(text.label + ' leaves ' + nameOf(at));
        break;
      }
    }
  }
  const controls = drawn.filter(({ isControl }) => isControl);
  for (let i = 0; i < controls.length; i += 1)
    for (let j = i + 1; j < controls.length; j += 1)
      if (!related(controls[i].element, controls[j].element) && meet(controls[i], controls[j]))
        faults.push(controls[i].label + ' lies over ' + controls[j].label);
  // Without it, the cells after it stand below the heading of another.
  for (const row of document.querySelectorAll('tbody > tr'))
    if (isShown(row) && getComputedStyle(row).display === 'table-row')
      for (const cell of row.cells) if (!isShown(cell)) faults.push(nameOf(cell) + ' is missing in its row');
  return [...new Set(faults)];
})()`;

/** The elements of a page that overlap, leave their card, are cut off, or make the page wider than its window. */
export const layoutFaultsOf = (page: Page): Promise<string[]> => page.evaluate<string[]>(MEASURE);
