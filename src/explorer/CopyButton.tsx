import { useState } from 'react';
import { copyText } from './copyText.js';

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
    setTimeout(() => {
      setCopied(false);
    }, 2000);
  };
  return (
    <button type="button" className="copy" title={title} onClick={() => void copy()}>
      {isCopied ? 'Copied' : label}
    </button>
  );
}
