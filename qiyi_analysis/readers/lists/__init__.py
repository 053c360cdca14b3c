"""Rating lists of every federation, read into one frame."""
