import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../style.css';
import './check.css';
import { CheckPage } from './page.tsx';

const place = document.getElementById('page');
if (!place) throw new Error('check.html has lost its place for the page.');
createRoot(place).render(
  <StrictMode>
    <CheckPage />
  </StrictMode>,
);
