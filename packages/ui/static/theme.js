// Runs before the page is shown, so that nobody who chose dark sees it light first. Without storage the system decides.
try {
  const theme = localStorage.getItem('svc-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {}
