import SkyrosLog
