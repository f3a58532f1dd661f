import { type Tab, Tabs } from '@svc/ui';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import '@svc/ui/tokens.css';
import '@svc/ui/base.css';
import '@svc/ui/parts.css';

const PANELS: readonly Tab[] = ['One', 'Two', 'Three'].map((label) => ({
  id: label.toLowerCase(),
  label,
  panel: <p id={`in-${label.toLowerCase()}`}>What is in {label}.</p>,
}));

function Page() {
  const [current, choose] = useState('one');
  return <Tabs label="Numbers" tabs={PANELS} current={current} choose={choose} />;
}

createRoot(document.getElementById('page') as HTMLElement).render(<Page />);
