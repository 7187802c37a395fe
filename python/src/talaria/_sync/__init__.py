# Generated from _async/__init__.py by tools/generate_sync.py. Change that one.
"""The synchronous client."""
