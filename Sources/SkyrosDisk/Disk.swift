package struct DiskPlaceholder {}
