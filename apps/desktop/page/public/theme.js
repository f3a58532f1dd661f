// Runs before the page is shown, so that a user who chose dark never sees it light. Without storage the system decides.
try {
  const theme = localStorage.getItem('svc.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {}
