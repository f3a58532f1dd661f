import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../style.css';
import './check.css';
import { CheckPage } from './page.tsx';

const root = document.getElementById('page');
if (!root) throw new Error('check.html has no element #page.');
createRoot(root).render(
  <StrictMode>
    <CheckPage />
  </StrictMode>,
);
