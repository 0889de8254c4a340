"use client";

import { Component, type ReactNode } from "react";

interface BoundaryProps {
  /** What stands there when what is inside cannot be drawn. */
  fallback: ReactNode;
  children: ReactNode;
}

/** Keeps one broken widget from taking its page down. */
export class Boundary extends Component<BoundaryProps, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true };
  }

  override render(): ReactNode {
    return this.state.broken ? this.props.fallback : this.props.children;
  }
}
