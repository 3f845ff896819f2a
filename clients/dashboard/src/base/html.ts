// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/base/html.ts - preact by tagged templates: texts are always texts, never markup.
import { h, render, type ComponentChildren, type VNode } from 'preact';
import htm from 'htm';

export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;
export { render };
export type { ComponentChildren, VNode };
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
