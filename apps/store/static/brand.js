// Shows a new name, logo and accent in the header of the page before they are saved, and puts the file into the form.

const form = document.querySelector('[data-brand]');
const part = form?.querySelector('[data-logo]');
const fault = form?.querySelector('.fault');
/** The header and the preview, each a picture and a name. */
const brands = Array.from(document.querySelectorAll('.brand'), (at) => ({ at, was: at.firstElementChild }));

form?.querySelector('[name="name"]')?.addEventListener('input', ({ target }) => {
  for (const { at } of brands) at.lastElementChild.textContent = target.value.trim() || target.placeholder;
});

form?.querySelector('[name="accent"]')?.addEventListener('input', ({ target }) => {
  const root = document.documentElement.style;
  const colour = target.value.trim();
  if (/^#[\da-f]{6}$/i.test(colour)) root.setProperty('--accent', colour);
  else root.removeProperty('--accent');
});

const SIDE = 112;

/** A drawing of a picture, with the size of a logo: the policy of the page allows no address for the content of a file. */
function drawingOf(bitmap) {
  const canvas = Object.assign(document.createElement('canvas'), { width: SIDE, height: SIDE });
  const scale = SIDE / Math.max(bitmap.width, bitmap.height);
  const [width, height] = [bitmap.width * scale, bitmap.height * scale];
  canvas.getContext('2d').drawImage(bitmap, (SIDE - width) / 2, (SIDE - height) / 2, width, height);
  canvas.style.width = '28px';
  return canvas;
}

/** The content of a file in base64url. */
const encode = async (file) =>
  new Uint8Array(await file.arrayBuffer()).toBase64?.({ alphabet: 'base64url', omitPadding: true }) ??
  btoa(Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

// Without this script the field would do nothing.
if (part) {
  part.hidden = false;
  const field = part.querySelector('[name="logo"]');
  const input = part.querySelector('[type="file"]');
  input.addEventListener('change', async () => {
    const [file] = input.files;
    const isLarge = file?.size > Number(part.dataset.max);
    fault.textContent = isLarge ? `This file has more than ${part.dataset.max / 1024} KiB.` : '';
    field.value = '';
    for (const { at, was } of brands) at.firstElementChild.replaceWith(was);
    if (!file || isLarge) return;
    field.value = await encode(file);
    // Browsers draw no SVG this way: its drawing is shown once it is saved.
    const bitmap = await createImageBitmap(file).catch(() => null);
    if (bitmap) for (const { at } of brands) at.firstElementChild.replaceWith(drawingOf(bitmap));
  });
}
