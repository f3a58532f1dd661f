import { openDashboard } from '../main.tsx';
import { AdminPage } from './page.tsx';

openDashboard('admin', AdminPage);
