// Runs before the first paint, so that a page in the dark theme does not flash light, and the font is there from the start.

/** Whether a font arrives before anyone would read: unknown outside Chromium (Network Information API), where it is supposed. */
const isFast = ({ saveData, downlink } = {}) => !saveData && !(downlink < 5);

function preloadFont(address) {
  document.documentElement.dataset.font = 'kept';
  const link = Object.assign(document.createElement('link'), { rel: 'preload', as: 'font', href: address });
  link.crossOrigin = 'anonymous';
  document.head.append(link);
}

const { font } = document.currentScript.dataset;
if (font && isFast(navigator.connection)) preloadFont(font);

// Without storage the system theme applies.
try {
  const { dataset } = document.documentElement;
  const theme = localStorage.getItem('svc-theme');
  if (theme === 'light' || theme === 'dark') dataset.theme = theme;
  if (localStorage.getItem('svc-font') === 'kept') dataset.font = 'kept';
} catch {}

// The first listener of every page: keys that an input method uses, such as the Enter that chooses a candidate, reach no handler and send no
// form. Safari reports the end of a composition before its Enter, which then has only the key code 229 (UI Events, section 4.3.3).
addEventListener(
  'keydown',
  (event) => {
    if (!event.isComposing && event.keyCode !== 229) return;
    event.stopImmediatePropagation();
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
  },
  true,
);
