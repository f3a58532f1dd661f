import { LIMITS } from '@svc/contracts/vocabulary';
import type { Picture, Sides } from '../pictures/picture.ts';
import { errorRule, inFiles } from '../rule.ts';

const icon = 'assets/icon.svg';
const mark = 'assets/mark.svg';
const pixels = 'assets/icon.png';
const { iconMinSide, iconSide } = LIMITS.branding;

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 4h16v16H4z"/></svg>\n';
const scripted =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 4h16v16H4z" onclick="alert(1)"/></svg>\n';
const oblong = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 12"><path d="M4 4h16v4H4z"/></svg>\n';
/** Black PNGs with sides of 128 and of 512 pixels. */
const smallPng = bytesOf(
  'iVBORw0KGgoAAAANSUhEUgAAAIAAAACAAQAAAADrRVxmAAAAGUlEQVR42mNgGAWjYBSMglEwCkbBKKAvAAAIgAABw1fMHQAAAABJRU5ErkJggg==',
);
const fullPng = bytesOf(
  'iVBORw0KGgoAAAANSUhEUgAAAgAAAAIAAQAAAADcA+lXAAAANklEQVR42u3BAQEAAACCIP+vbkhAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB8G4IAAAFjdVCkAAAAAElFTkSuQmCC',
);

const NAMES = { png: 'PNG', jpeg: 'JPEG', webp: 'WebP', svg: 'SVG' } as const;

/** The content of the images in the branding. */
export const pictureRules = [
  errorRule('branding.icon.type', 'branding.icon.picture', {
    message: (picture) => `The icon must be a PNG or an SVG: this file ${formatProblem(picture)}.`,
    why: 'Every browser must be able to show it, and the store must know its type. The store draws an icon once, when it is published: one that takes more than 2 seconds or too much memory gets this code too.',
    example: inFiles('/branding/icon', { [icon]: 'GIF89a' }, { [icon]: svg }),
    fails: ({ format }) => format !== 'png' && format !== 'svg',
  }),
  errorRule('branding.icon.square', 'branding.icon.sides', {
    message: (sides) =>
      `The icon must be square${sidesText(sides)}. The shape of an SVG is that of its "viewBox".`,
    why: 'Clients show it in a square, where other shapes would be cut or distorted.',
    example: inFiles('/branding/icon', { [icon]: oblong }, { [icon]: svg }),
    fails: (sides) => sides === undefined || !isSquare(sides),
  }),
  errorRule('branding.icon.small', 'branding.icon.side', {
    message: (side) =>
      `The icon has sides of ${side} pixels: use ${iconSide} or more, or an SVG. Less than ${iconMinSide} is an error.`,
    why: `Clients also show it large, where a small image is blurred. Less than ${iconMinSide} pixels is an error; less than ${iconSide} is a warning. An SVG is never too small.`,
    example: inFiles('/branding/icon', { [pixels]: smallPng }, { [pixels]: fullPng }, { icon: pixels }),
    fails: (side) => side < iconMinSide || (side < iconSide && 'warning'),
  }),
  errorRule('branding.mark.svg', 'branding.mark.picture', {
    message: (picture) => `The mark must be an SVG: this file ${formatProblem(picture)}.`,
    why: 'Clients show it in any size and in the colour of the surrounding text. The store draws a mark once, when it is published: one that takes more than 2 seconds or too much memory gets this code too.',
    example: inFiles('/branding/mark', { [mark]: fullPng }, { [mark]: svg }, { icon, mark }),
    fails: ({ format }) => format !== 'svg',
  }),
  errorRule('branding.mark.script', 'branding.svg', {
    message: (picture) =>
      `An SVG of the branding must only draw, but ${hazardOf(picture)}. Remove that, or save the file as plain or optimized SVG.`,
    why: 'An SVG is a document that can run scripts and load URLs with the rights of the page that shows it. Therefore a mark or an SVG icon may only contain shapes, text, colours and filters. It must not refer to anything outside the file, and must not be animated.',
    example: inFiles('/branding/mark', { [mark]: scripted }, { [mark]: svg }, { icon, mark }),
    fails: ({ hazard }) => hazard !== undefined,
  }),
] as const;

/** Editors round the sides of an SVG each on its own: a difference below one unit, and below one pixel at full size, cannot be seen. */
function isSquare({ width, height }: Sides): boolean {
  return Math.abs(width - height) < Math.min(1, Math.max(width, height) / iconSide);
}

// Messages get the failed value as unknown, but it always has the type of their own target.

function formatProblem(value: unknown): string {
  const picture = value as Picture;
  return picture.format === 'other' ? picture.why : `is a ${NAMES[picture.format]}`;
}

function hazardOf(value: unknown): string {
  const picture = value as Picture;
  return (picture.format === 'svg' && picture.hazard) || 'this one does more';
}

function sidesText(value: unknown): string {
  const sides = value as { width: number; height: number } | undefined;
  return sides === undefined ? ', but this one has no size' : `, not ${sides.width} by ${sides.height}`;
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
