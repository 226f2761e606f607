/**
 * Copies to the clipboard; returns whether that succeeded. Pages without HTTPS, except those of localhost, may not do it: there
 * the user gets the text to copy.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    window.prompt('Press Ctrl-C to copy', text);
    return false;
  }
}
