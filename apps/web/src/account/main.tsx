import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../style.css';
import '../check/check.css';
import './account.css';
import '../changes/changes.css';
import '../conversation/conversation.css';
import '../dashboard/dashboard.css';
import '../reviews/reviews.css';
import { AccountPage } from './page.tsx';
import { takeInstallId } from './rate/install-id.ts';

const root = document.getElementById('page');
if (!root) throw new Error('account.html has no element #page.');
// Before anything else: this removes the id from the URL.
const installId = takeInstallId(window);
const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 5_000 } } });
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <AccountPage path={window.location.pathname} installId={installId} />
    </QueryClientProvider>
  </StrictMode>,
);
