import type { ReactNode } from 'react';
import { errorsOf, type GatewayError, type WriteResult } from 'shipment-graphql-client';

/** What is known of a write, and what to do next. No code of an error is needed for it. */
export function explain({ outcome, nextStep, errors }: WriteResult): string {
  const seconds = Math.max(0, ...errors.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds));
  const known = {
    APPLIED: 'Done.',
    NOT_APPLIED: 'Nothing was changed.',
    UNKNOWN: 'It may have gone through, or not.',
  }[outcome];
  const todo = {
    NONE: '',
    SEND: 'It is ready to be sent.',
    REPEAT: `Repeat it${seconds > 0 ? ` in ${seconds} s` : ''}: it happens at most once.`,
    SIGN_IN: 'Sign in again, then repeat it.',
    REQUEST_ACCESS: 'Your account may not do this: ask for access, then repeat it.',
    CORRECT: 'Correct it, then send it again.',
    RELOAD: 'Somebody else has changed it.',
    DECIDE: 'A repeat cannot settle it: look before you send it again, or it may happen twice.',
    REPORT: `If it stays like this, report the request ${errors[0]?.requestId ?? ''}.`,
  }[nextStep];
  return `${known} ${todo}`.trim();
}

/** The messages of the errors, and what the service itself said. */
export function messagesOf(errors: readonly GatewayError[]): string[] {
  const texts = errors.flatMap(({ message, serviceMessages = [] }) => [
    message,
    // The service documents no shape for them.
    ...serviceMessages.map((said) => (said as { message?: string }).message ?? JSON.stringify(said)),
  ]);
  return [...new Set(texts)];
}

/** What became of a write, above its form. */
export function Notice({
  result,
  errors = result.errors,
  children,
}: {
  result: WriteResult;
  /** Those that stand at no field. */
  errors?: readonly GatewayError[];
  children?: ReactNode;
}) {
  return (
    <div role="alert" className={`notice ${result.outcome.toLowerCase()}`}>
      <p>
        <strong>{explain(result)}</strong>
      </p>
      {messagesOf(errors).map((text) => (
        <p key={text}>{text}</p>
      ))}
      {children}
    </div>
  );
}

/** Why something could not be read. */
export function ReadFailure({
  error,
  field,
  onRetry,
}: {
  error: unknown;
  field: string;
  onRetry: () => void;
}) {
  const messages = messagesOf(errorsOf(error, field));
  return (
    <div role="alert" className="notice">
      <p>
        <strong>This could not be read.</strong>
      </p>
      {messages.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <button onClick={onRetry}>Try again</button>
    </div>
  );
}
