import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../style.css';
import '../account/account.css';
import '../changes/changes.css';
import '../conversation/conversation.css';
import './moderation.css';
import './review/review.css';
import './files/files.css';
import './flagged/flagged.css';
import { ModerationPage } from './page.tsx';

const root = document.getElementById('page');
if (!root) throw new Error('moderation.html has no element #page.');
const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 5_000 } } });
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <ModerationPage path={window.location.pathname} />
    </QueryClientProvider>
  </StrictMode>,
);
