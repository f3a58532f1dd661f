import type { SaxesTagNS } from 'saxes';
import type { Canvas } from './canvas.ts';
import type { Box } from './transforms.ts';

/** A number with its unit. */
const LENGTH = /^([\d.]+)\s*([a-z%]*)$/i;
/** Side of the viewport for a picture without a size, in its units. */
const PLACE = 512;

/** Sets the rectangle of a canvas from the attributes of the root. Does nothing when these do not determine it. */
export function openCanvas(canvas: Canvas, { attributes }: SaxesTagNS): void {
  const { viewBox, width, height, preserveAspectRatio } = attributes;
  if (/slice/i.test(preserveAspectRatio?.value ?? '')) return;
  const [, across = '', wideUnit = ''] = LENGTH.exec(width?.value.trim() ?? '') ?? [];
  const [, down = '', highUnit = ''] = LENGTH.exec(height?.value.trim() ?? '') ?? [];
  // With two different units, such as inches and pixels, the numbers do not give the aspect ratio.
  if (width !== undefined && height !== undefined && (wideUnit !== highUnit || across === '' || down === ''))
    return;
  const stretch = Math.max(1, Number(across) / Number(down) || 1, Number(down) / Number(across) || 1);
  const box = viewBox === undefined ? boxOfSides(across, down, wideUnit) : boxOfView(viewBox.value);
  if (box !== undefined) canvas.open(box, stretch);
}

/** Without a `viewBox` a unit is a pixel of the width and height, or of the viewport if neither is given. */
function boxOfSides(across: string, down: string, unit: string): Box | undefined {
  if (across === '' && down === '') return { left: 0, top: 0, right: PLACE, bottom: PLACE };
  return /^(?:px)?$/i.test(unit)
    ? { left: 0, top: 0, right: Number(across), bottom: Number(down) }
    : undefined;
}

function boxOfView(text: string): Box {
  const [left = 0, top = 0, wide = Number.NaN, high = Number.NaN] = text
    .trim()
    .slice(0, 200)
    .split(/[\s,]+/)
    .map(Number);
  return { left, top, right: left + wide, bottom: top + high };
}
