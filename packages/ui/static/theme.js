// Runs before the first paint, so that a page in the dark theme does not flash light, and the cached font is used from the start.
// Without storage the system theme applies.
try {
  const { dataset } = document.documentElement;
  const theme = localStorage.getItem('svc-theme');
  if (theme === 'light' || theme === 'dark') dataset.theme = theme;
  if (localStorage.getItem('svc-font') === 'kept') dataset.font = 'kept';
} catch {}
