/** Entry point of the page: editor workers, styles, root component. */
import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import './style.css';
import './toolbar.css';
import './exchange.css';
import './phone.css';
import { createRoot } from 'react-dom/client';
import { Explorer } from './Explorer.js';

const root = document.getElementById('explorer');
if (root) createRoot(root).render(<Explorer />);
