// Shows a new name, logo and accent in the header of the page before they are saved, and puts the file into the form.

const form = document.querySelector('[data-brand]');
const part = form?.querySelector('[data-logo]');
/** The header and the preview, each a picture and a name. */
const brands = Array.from(document.querySelectorAll('.brand'), (at) => ({ at, was: at.firstElementChild }));

/** Follows a field from what it holds already: a browser restores fields, and a user may be faster than this script. */
const follow = (field, event, show) => {
  field?.addEventListener(event, () => show(field));
  if (field && field.value !== field.defaultValue) void show(field);
};

follow(form?.querySelector('[name="name"]'), 'input', ({ value, placeholder }) => {
  for (const { at } of brands) at.lastElementChild.textContent = value.trim() || placeholder;
});

follow(form?.querySelector('[name="accent"]'), 'input', ({ value }) => {
  const root = document.documentElement.style;
  const colour = value.trim();
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
  follow(part.querySelector('[type="file"]'), 'change', async (input) => {
    const [file] = input.files;
    const why =
      file?.size > Number(part.dataset.max)
        ? `This file has more than ${part.dataset.max / 1024} KiB.`
        : file?.size === 0
          ? 'This file is empty.'
          : '';
    // The form is not sent without the logo that it shows.
    input.setCustomValidity(why);
    input.reportValidity();
    field.value = '';
    for (const { at, was } of brands) at.firstElementChild.replaceWith(was);
    if (!file || why !== '') return;
    field.value = await encode(file);
    // Browsers draw no SVG this way: its drawing is shown once it is saved.
    const bitmap = await createImageBitmap(file).catch(() => null);
    if (bitmap) for (const { at } of brands) at.firstElementChild.replaceWith(drawingOf(bitmap));
  });
}
