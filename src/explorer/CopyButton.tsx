import { useState } from 'react';

interface CopyButtonProps {
  label: string;
  title?: string;
  /** Called on each click. */
  text: () => string;
}

export function CopyButton({ label, title, text }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    setCopied(await copyText(text()));
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <button type="button" className="copy" title={title} onClick={() => void copy()}>
      {isCopied ? 'Copied' : label}
    </button>
  );
}

/**
 * Copies to the clipboard; returns whether that succeeded. Pages without HTTPS, except on localhost, may not do it: there
 * the user gets the text to copy.
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    window.prompt('Press Ctrl-C to copy', text);
    return false;
  }
}
