"""Talaria as the sandbox of other frameworks: a module for each, which imports that framework.

docs/guide/integrations.md says how to install and use them.
"""
