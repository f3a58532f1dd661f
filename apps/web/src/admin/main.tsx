import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../style.css';
import '../account/account.css';
import './admin.css';
import { AdminPage } from './page.tsx';

const root = document.getElementById('page');
if (!root) throw new Error('admin.html has no element #page.');
const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 5_000 } } });
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <AdminPage path={window.location.pathname} />
    </QueryClientProvider>
  </StrictMode>,
);
