import { z } from 'zod';

export interface BoundedArrayOptions {
  /** Validation stops after the element that reaches this number of issues. */
  maxIssues: number;
  /**
   * Fast check, true only if `element` accepts a value and changes nothing. If it holds for all elements, they are
   * returned as they are, including fields that an object schema would strip. @default none
   */
  isUnchanged?: (value: unknown) => boolean;
}

/** Like z.array, but stops after `maxIssues`, so that a long invalid array stays cheap. */
export function boundedArray<Element>(
  element: z.ZodType<Element>,
  { maxIssues, isUnchanged }: BoundedArrayOptions,
) {
  const compiled = z.compile(element);
  return z.array(z.unknown()).transform((values, context): Element[] => {
    if (isUnchanged && values.every(isUnchanged)) return values as Element[];
    const elements: Element[] = [];
    let issues = 0;
    for (const [index, value] of values.entries()) {
      const result = compiled.safeParse(value);
      if (result.success) {
        elements.push(result.data);
        continue;
      }
      for (const { path, message, ...issue } of result.error.issues) {
        const params = issue.code === 'custom' ? issue.params : undefined;
        context.addIssue({ code: 'custom', path: [index, ...path], message, params });
        issues += 1;
      }
      if (issues >= maxIssues) return z.NEVER;
    }
    return elements;
  });
}
