/** What pages ask of the shell around them. */
import { createContext, useContext } from 'react';

/** How a message looks: what it says went well, failed, or is not known. */
export type Tone = 'good' | 'bad' | 'unsure';

export interface Shell {
  /** Opens a page, with a message about what has just been done. */
  go: (path: string, message?: string) => void;
  /** Shows a message, and has screen readers say it. */
  say: (message: string, tone?: Tone) => void;
}

export const ShellContext = createContext<Shell>({ go: () => undefined, say: () => undefined });

export const useShell = () => useContext(ShellContext);
