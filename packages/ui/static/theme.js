// Runs before the page is shown, so that a person who chose dark never sees it light first, and the font that this browser holds is
// there from the first paint. Without storage the system decides.
try {
  const { dataset } = document.documentElement;
  const theme = localStorage.getItem('svc-theme');
  if (theme === 'light' || theme === 'dark') dataset.theme = theme;
  if (localStorage.getItem('svc-font') === 'kept') dataset.font = 'kept';
} catch {}
