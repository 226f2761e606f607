import { useId, type ComponentProps, type ReactNode } from 'react';

/** A text with its label and its error, which screen readers say with it. */
export function TextField({
  label,
  error,
  children,
  ...input
}: ComponentProps<'input'> & {
  label: string;
  error: string | undefined;
  /** Next to the input. */
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="row">
        <input
          id={id}
          aria-invalid={error !== undefined}
          aria-describedby={error && `${id}-error`}
          {...input}
        />
        {children}
      </div>
      {error && (
        <p id={`${id}-error`} className="field-error">
          {error}
        </p>
      )}
    </div>
  );
}
